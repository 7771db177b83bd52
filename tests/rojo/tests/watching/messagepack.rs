//! MessagePack to JSON, as much of it as Rojo's answers hold.

use serde_json::{Map, Value};

/// The one value of a text; `None` when it is cut short, goes on, or holds what JSON cannot.
pub fn read(bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value()?;
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A big-endian number of so many bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self, bytes: usize) -> Option<usize> {
        usize::try_from(self.number(bytes)?).ok()
    }

    fn value(&mut self) -> Option<Value> {
        let mark = self.take(1)?[0];
        Some(match mark {
            0x00..=0x7F => mark.into(),
            0x80..=0x8F => self.map(usize::from(mark & 0x0F))?,
            0x90..=0x9F => self.array(usize::from(mark & 0x0F))?,
            0xA0..=0xBF => self.string(usize::from(mark & 0x1F))?,
            0xC0 => Value::Null,
            0xC2 => false.into(),
            0xC3 => true.into(),
            // Bytes, which become numbers.
            0xC4..=0xC6 => {
                let length = self.length(1 << (mark - 0xC4))?;
                self.take(length)?.into()
            }
            0xCA => f32::from_bits(u32::try_from(self.number(4)?).ok()?).into(),
            0xCB => f64::from_bits(self.number(8)?).into(),
            0xCC..=0xCF => self.number(1 << (mark - 0xCC))?.into(),
            0xD0 => i8::from_ne_bytes([self.number(1)? as u8]).into(),
            0xD1 => (self.number(2)? as u16 as i16).into(),
            0xD2 => (self.number(4)? as u32 as i32).into(),
            0xD3 => (self.number(8)? as i64).into(),
            0xD9..=0xDB => {
                let length = self.length(1 << (mark - 0xD9))?;
                self.string(length)?
            }
            0xDC | 0xDD => {
                let length = self.length(2 << (mark - 0xDC))?;
                self.array(length)?
            }
            0xDE | 0xDF => {
                let length = self.length(2 << (mark - 0xDE))?;
                self.map(length)?
            }
            0xE0..=0xFF => i8::from_ne_bytes([mark]).into(),
            _ => return None,
        })
    }

    fn string(&mut self, length: usize) -> Option<Value> {
        Some(std::str::from_utf8(self.take(length)?).ok()?.into())
    }

    fn array(&mut self, length: usize) -> Option<Value> {
        (0..length).map(|_| self.value()).collect::<Option<Vec<Value>>>().map(Value::Array)
    }

    fn map(&mut self, length: usize) -> Option<Value> {
        let mut map = Map::new();
        for _ in 0..length {
            let key = match self.value()? {
                Value::String(key) => key,
                key => key.to_string(),
            };
            map.insert(key, self.value()?);
        }
        Some(Value::Object(map))
    }
}

#[test]
fn values_of_every_form_are_read() {
    let bytes = [
        0x84, 0xA1, b'a', 0x93, 0x01, 0xFF, 0xCD, 0x01, 0x00, 0xA1, b'b', 0xC3, 0xA1, b'c', 0xCB, 0x3F, 0xF8,
        0, 0, 0, 0, 0, 0, 0xD9, 0x01, b'd', 0xC0,
    ];
    assert_eq!(read(&bytes).unwrap().to_string(), r#"{"a":[1,-1,256],"b":true,"c":1.5,"d":null}"#);
    assert_eq!(read(&bytes[..20]), None);
}
