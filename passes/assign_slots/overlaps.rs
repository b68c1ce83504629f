//! What takes a slot that another has taken.

use std::ops::Range;

/// For each of these the first before it that takes a number in a namespace which it takes too, unless both may share. Each takes ranges of
/// numbers in namespaces.
pub(crate) fn first_overlaps<N: Copy + Ord>(
    ranges: &[Vec<(N, Range<u32>)>],
    may_share: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let of_each = ranges.iter().enumerate();
    let mut taken: Vec<(N, &Range<u32>, usize)> =
        of_each.flat_map(|(index, ranges)| ranges.iter().map(move |(space, range)| (*space, range, index))).collect();
    taken.sort_by_key(|(space, range, _)| (*space, range.start));
    let mut earlier: Vec<Option<usize>> = vec![None; ranges.len()];
    let mut rest = &mut taken[..];
    // Only those that hang together can be in each other's way, and most hang together with none: comparing all of them would be quadratic.
    while let Some((space, first, _)) = rest.first() {
        let (space, mut end, mut length) = (*space, first.end, 1);
        while let Some((other, range, _)) = rest.get(length)
            && *other == space
            && range.start < end
        {
            end = end.max(range.end);
            length += 1;
        }
        let (neighbours, others) = rest.split_at_mut(length);
        neighbours.sort_by_key(|(.., index)| *index);
        for (place, (_, range, index)) in neighbours.iter().enumerate() {
            let is_in_the_way = |(_, other, of): &&(N, &Range<u32>, usize)| {
                range.start < other.end && other.start < range.end && of != index && !may_share(*of, *index)
            };
            let first = neighbours[..place].iter().find(is_in_the_way).map(|(.., first)| *first);
            earlier[*index] = earlier[*index].into_iter().chain(first).min();
        }
        rest = others;
    }
    earlier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_that_comparing_all_with_all_finds() {
        let mut state = 1_u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        let (mut overlaps, mut none) = (0, 0);
        for _ in 0..600 {
            let mut range = |_| {
                let first = below(60);
                let end = if below(12) == 0 { u32::MAX } else { first + below(5) };
                (below(4), first..end)
            };
            let ranges: Vec<Vec<_>> =
                (0..14_u32).map(|index| (0..1 + index % 3 / 2).map(&mut range).collect()).collect();
            let may_share = |one: usize, other: usize| one % 4 == other % 4;
            let meet = |one: usize, other: usize| {
                let pairs = ranges[one].iter().flat_map(|one| ranges[other].iter().map(move |other| (one, other)));
                pairs
                    .into_iter()
                    .any(|((space, one), (of, other))| space == of && one.start < other.end && other.start < one.end)
            };
            let first = |index| (0..index).find(|other| !may_share(*other, index) && meet(*other, index));
            let expected: Vec<_> = (0..ranges.len()).map(first).collect();
            overlaps += expected.iter().flatten().count();
            none += expected.iter().filter(|found| found.is_none()).count();
            assert_eq!(first_overlaps(&ranges, may_share), expected, "{ranges:?}");
        }
        assert!(overlaps > 1000 && none > 1000, "{overlaps} {none}");
    }
}
