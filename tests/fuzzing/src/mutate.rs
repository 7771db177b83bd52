//! Mutations that are the same in every run.

/// Numbers that look random: SplitMix64 (Steele, Lea, Flood 2014).
pub struct Numbers(pub u64);

impl Numbers {
    /// The next one.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One below `bound`; 0 when that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.draw() % bound as u64) as usize }
    }
}

/// Bytes that parsers have opinions about.
const ODD: &[&[u8]] = &[
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
    b"..",
    b"--[[",
    b"]]",
    b"\\",
    b"\r\n",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\xC3\xA9",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"18446744073709551616",
    b"null",
    b"true",
    b",",
    b":",
    b"=",
    b"?",
    b"nil",
    b"@profile(\"test\")",
    b"&#0;",
    b"<![CDATA[",
];

/// `of`, changed in one to four places; pieces are borrowed from `other`.
pub fn mutated(of: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = of.to_vec();
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        let most = 1 + numbers.below(24);
        let until = (at + 1 + numbers.below(most)).min(bytes.len());
        let piece = match numbers.below(7) {
            0 => Vec::new(),
            1 => vec![numbers.draw() as u8],
            2 => ODD[numbers.below(ODD.len())].to_vec(),
            3 => bytes[at..until].repeat(2),
            4 => {
                let from = numbers.below(other.len());
                let length = 1 + numbers.below(40);
                other[from..(from + length).min(other.len())].to_vec()
            }
            5 => bytes[at..until].iter().map(|byte| byte ^ 1 << numbers.below(8)).collect(),
            _ => {
                bytes.truncate(at);
                continue;
            }
        };
        bytes.splice(at..until, piece);
    }
    bytes
}
