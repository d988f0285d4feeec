//! The names that one `{ ... }` declares.
//!
//! ```text
//!   .reg .b32 %r<100000>;     a range: the prefix, the number of registers, their type
//!   add.u32 %r7, %r7, %r9;    %r7 and %r9 become registers here, where they are first used
//! ```
//!
//! Law: a range of registers takes memory only for the registers that are used, so that a large
//! count in the text takes no memory by itself.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use super::body::Name;
use crate::types::Type;

/// The names that are declared between two braces.
#[derive(Default)]
pub(crate) struct Scope<'s> {
    names: RefCell<HashMap<Cow<'s, str>, Name<'s>>>,
    /// The type and count of each range, by prefix.
    ranges: HashMap<&'s str, (Type, u32)>,
}

impl<'s> Scope<'s> {
    /// Declares a name. Returns false if the name was already declared.
    pub fn declare(&mut self, name: Cow<'s, str>, what: Name<'s>) -> bool {
        if self.range(&name).is_some() || self.names.get_mut().contains_key(&name) {
            return false;
        }
        self.names.get_mut().insert(name, what);
        true
    }

    /// Declares `prefix0` to `prefix(count - 1)` as registers of a type. Returns one of these names
    /// if it was already declared.
    pub fn declare_range(&mut self, prefix: &'s str, ty: Type, count: u32) -> Option<String> {
        let taken = self
            .names
            .get_mut()
            .keys()
            .find(|name| member(name, prefix, count))
            .map(|name| name.clone().into_owned());
        let again = self.ranges.contains_key(prefix) && count > 0;
        if again || taken.is_some() {
            return taken.or_else(|| Some(format!("{prefix}0")));
        }
        self.ranges.insert(prefix, (ty, count));
        None
    }

    /// Returns what a name refers to in this scope. `register` creates a register of a range at its
    /// first look-up.
    pub fn look_up(&self, name: &str, register: impl FnOnce(Type) -> Name<'s>) -> Option<Name<'s>> {
        if let Some(found) = self.names.borrow().get(name) {
            return Some(found.clone());
        }
        let made = register(self.range(name)?);
        let mut names = self.names.borrow_mut();
        Some(names.entry(name.to_owned().into()).or_insert(made).clone())
    }

    /// Returns the type of a register that a range declares.
    fn range(&self, name: &str) -> Option<Type> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        // The prefix itself may end in digits: `%r1<5>` declares `%r10` to `%r14`.
        (prefix.len()..name.len())
            .filter_map(|end| Some((&name[..end], self.ranges.get(&name[..end])?)))
            .find(|&(prefix, &(_, count))| member(name, prefix, count))
            .map(|(_, &(ty, _))| ty)
    }
}

/// Whether a name is `prefix` followed by a number below `count` without leading zeros.
fn member(name: &str, prefix: &str, count: u32) -> bool {
    name.strip_prefix(prefix)
        .filter(|digits| *digits == "0" || !digits.starts_with(['0', '+']))
        .and_then(|digits| digits.parse::<u32>().ok())
        .is_some_and(|number| number < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(scope: &Scope, name: &str) -> bool {
        scope.look_up(name, |_| Name::Prototype).is_some()
    }

    #[test]
    fn ranges_are_the_names_that_they_stand_for() {
        let mut scope = Scope::default();
        assert_eq!(scope.declare_range("%r", Type::B32, 12), None);
        assert_eq!(scope.declare_range("%q1", Type::B32, u32::MAX), None);
        for name in ["%r0", "%r9", "%r11", "%q10", "%q14294967294"] {
            assert!(declared(&scope, name), "{name}");
            assert!(!scope.declare(name.into(), Name::Prototype), "{name}");
        }
        for name in ["%r", "%r12", "%r01", "%r+1", "%q1", "%q14294967295", "%r1x"] {
            assert!(!declared(&scope, name), "{name}");
        }
        assert!(scope.declare("%s3".into(), Name::Prototype));
        assert_eq!(scope.declare_range("%s", Type::B32, 3), None);
        let mut scope = Scope::default();
        assert!(scope.declare("%s3".into(), Name::Prototype));
        assert_eq!(
            scope.declare_range("%s", Type::B32, 4).as_deref(),
            Some("%s3")
        );
        assert_eq!(scope.declare_range("%t", Type::B32, 4), None);
        assert_eq!(
            scope.declare_range("%t", Type::B64, 4).as_deref(),
            Some("%t0")
        );
    }
}
