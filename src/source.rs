//! The source texts of a session, and where in them a byte stands.

use std::sync::Arc;

use akari_ir::{Diagnostic, FileId, Span};

use crate::syntax::{MAX_TEXT, codes};

/// All texts that diagnostics may point into: sources, manifests, specs. Copies share the texts.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

/// A text with its name.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Byte offset of the beginning of each line.
    lines: Arc<[u32]>,
    /// How many characters begin before each whole block of bytes, so that a column costs the same in the longest of lines.
    characters: Vec<u32>,
}

/// Bytes in a block of [`SourceFile::characters`].
const BLOCK: usize = 1024;

/// How many characters begin in some bytes of UTF-8: every scalar value has exactly one byte that continues no other.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(byte & 0xC0 != 0x80)).sum()
}

/// A place for people: both numbers count from 1, columns in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl SourceMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under the name that diagnostics shall give it. A byte order mark is dropped.
    ///
    /// # Errors
    /// Text that is not UTF-8, or longer than [`MAX_TEXT`]. The file is in the map all the same, so that the diagnostic can
    /// be shown.
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<FileId, Diagnostic> {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        if bytes.len() > MAX_TEXT {
            self.push(name.into(), String::new());
            let message = format!("this file is too large: it has {} bytes, and the limit is {MAX_TEXT}", bytes.len());
            return Err(Diagnostic::error(codes::TOO_LARGE, Span::new(id, 0, 0), message));
        }
        let (text, fault) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let byte = error.as_bytes().get(at).copied().unwrap_or(0);
                // What precedes the fault stands at the same offsets in the repaired text.
                (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some((at, byte)))
            }
        };
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let text = if mark == 0 { text } else { text[mark..].to_string() };
        self.push(name.into(), text);
        match fault {
            None => Ok(id),
            Some((at, byte)) => {
                let at = u32::try_from(at - mark).unwrap_or(u32::MAX);
                let message = format!("this file is not UTF-8: unexpected byte 0x{byte:02x}");
                Err(Diagnostic::error(codes::INVALID_UTF8, Span::new(id, at, at), message))
            }
        }
    }

    fn push(&mut self, name: String, text: String) {
        let mut lines = vec![0];
        lines.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)),
        );
        let mut before = 0;
        let characters = text
            .as_bytes()
            .chunks(BLOCK)
            .map(|block| {
                let first = before;
                before += characters(block);
                first
            })
            .collect();
        self.files.push(Arc::new(SourceFile { name, text, lines: lines.into(), characters }));
    }

    /// The file with this number; `None` for a number of another map.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize).map(Arc::as_ref)
    }

    /// All files, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(self.files.iter().map(Arc::as_ref))
    }

    /// The name of a file; empty for a number of another map.
    #[must_use]
    pub fn name(&self, id: FileId) -> &str {
        self.file(id).map_or("", SourceFile::name)
    }

    /// The text of a file; empty for a number of another map.
    #[must_use]
    pub fn text(&self, id: FileId) -> &str {
        self.file(id).map_or("", SourceFile::text)
    }

    /// Where a span begins.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        self.file(span.file).map_or(Place { line: 1, column: 1 }, |file| file.place(span.start))
    }
}

impl SourceFile {
    /// The name that diagnostics give it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, without a byte order mark; line ends are as in the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the beginning of each line.
    #[must_use]
    pub fn line_starts(&self) -> Arc<[u32]> {
        Arc::clone(&self.lines)
    }

    /// The line and column of a byte. An offset inside a character counts as its beginning, one behind the end as the end.
    #[must_use]
    pub fn place(&self, offset: u32) -> Place {
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines.get(line - 1).map_or(0, |&start| start as usize);
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let column = 1 + self.characters_before(end).saturating_sub(self.characters_before(start));
        Place { line: u32::try_from(line).unwrap_or(u32::MAX), column }
    }

    fn characters_before(&self, offset: usize) -> u32 {
        let block = (offset / BLOCK).min(self.characters.len().saturating_sub(1));
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or(&[]);
        self.characters.get(block).map_or(0, |before| before + characters(rest))
    }

    /// The text of the line that holds a byte, and where in that text the byte stands.
    #[must_use]
    pub(crate) fn line_around(&self, offset: u32) -> (&str, usize) {
        let line = self.place(offset).line;
        let start = self.lines.get(line as usize - 1).map_or(0, |start| *start as usize);
        let text = self.line(line);
        (text, (offset as usize).saturating_sub(start).min(text.len()))
    }

    /// The text of a line, counted from 1, without its end; empty where there is none.
    #[must_use]
    pub fn line(&self, line: u32) -> &str {
        let Some(index) = (line as usize).checked_sub(1) else { return "" };
        let Some(&start) = self.lines.get(index) else { return "" };
        let end = self.lines.get(index + 1).map_or(self.text.len(), |&next| next as usize - 1);
        let line = self.text.get(start as usize..end).unwrap_or("");
        line.strip_suffix('\r').unwrap_or(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(bytes: &[u8]) -> (SourceMap, Result<FileId, Diagnostic>) {
        let mut map = SourceMap::new();
        let added = map.add("f.akari", bytes.to_vec());
        (map, added)
    }

    fn place(map: &SourceMap, offset: u32) -> (u32, u32) {
        let place = map.place(Span::new(FileId(0), offset, offset));
        (place.line, place.column)
    }

    #[test]
    fn columns_count_scalar_values() {
        let (map, _) = map("aé\u{1F600}b\n\tx".as_bytes());
        assert_eq!(place(&map, 0), (1, 1));
        assert_eq!(place(&map, 1), (1, 2));
        assert_eq!(place(&map, 2), (1, 2), "inside é");
        assert_eq!(place(&map, 3), (1, 3));
        assert_eq!(place(&map, 5), (1, 3), "inside the emoji");
        assert_eq!(place(&map, 7), (1, 4));
        assert_eq!(place(&map, 8), (1, 5), "the line end belongs to its line");
        assert_eq!(place(&map, 9), (2, 1));
        assert_eq!(place(&map, 10), (2, 2), "a tab is one column");
        assert_eq!(place(&map, 999), (2, 3), "behind the end");
    }

    #[test]
    fn marks_and_carriage_returns_are_accepted() {
        let (map, added) = map(b"\xEF\xBB\xBF#shader a\r\nfn\r\n");
        assert_eq!(added, Ok(FileId(0)));
        assert_eq!(map.text(FileId(0)), "#shader a\r\nfn\r\n");
        let file = map.file(FileId(0)).expect("added");
        assert_eq!(
            (file.line(1), file.line(2), file.line(3), file.line(4), file.line(0)),
            ("#shader a", "fn", "", "", "")
        );
        assert_eq!(place(&map, 11), (2, 1));
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error_at_its_byte() {
        let (map, added) = map(b"ab\ncd\xFF\xFE");
        let diagnostic = added.expect_err("invalid");
        assert_eq!(diagnostic.message, "this file is not UTF-8: unexpected byte 0xff");
        let span = diagnostic.span.expect("a place");
        assert_eq!(place(&map, span.start), (2, 3));
    }

    #[test]
    fn a_mark_moves_the_fault() {
        let (map, added) = map(b"\xEF\xBB\xBFab\xFF");
        let span = added.expect_err("invalid").span.expect("a place");
        assert_eq!(place(&map, span.start), (1, 3));
    }

    #[test]
    fn files_have_a_limit() {
        let (map, added) = map(&vec![b' '; MAX_TEXT + 1]);
        assert_eq!(added.expect_err("too large").code, codes::TOO_LARGE);
        assert_eq!(map.text(FileId(0)), "");
        let (_, added) = super::tests::map(&vec![b' '; MAX_TEXT]);
        assert_eq!(added, Ok(FileId(0)));
    }

    #[test]
    fn an_unknown_file_has_no_text() {
        let map = SourceMap::new();
        assert_eq!((map.name(FileId(3)), map.text(FileId(3))), ("", ""));
        assert_eq!(map.place(Span::new(FileId(3), 7, 7)), Place { line: 1, column: 1 });
    }
}
