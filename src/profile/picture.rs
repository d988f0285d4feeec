//! Helpers of the pictures and tables: they escape text for HTML, and shorten numbers.

/// Escapes a text for HTML and SVG.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // HTML has no other control characters.
            c if c.is_control() && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Formats a count with groups of three digits, or as an empty text if it is 0.
pub fn count(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

/// Formats a count with groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Formats a number with a unit of a thousand, such as `1.5 T`.
pub fn scaled(value: f64) -> String {
    let units = ["", " k", " M", " G", " T", " P"];
    let (mut value, mut unit) = (value, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$}{}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_text_is_safe() {
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!((grouped(12), count(0)), ("12".into(), String::new()));
        assert_eq!(scaled(989.5e12), "990 T");
        assert_eq!(
            (scaled(4.8e12), scaled(0.25)),
            ("4.80 T".into(), "0.25".into())
        );
        assert_eq!(
            escape("a<b & \"c\"\u{1}"),
            "a&lt;b &amp; &quot;c&quot;\u{fffd}"
        );
    }
}
