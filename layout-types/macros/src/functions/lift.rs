//! Checks names and kinds, and converts each branch to an associated type of the type that the
//! branch matches on.
//!
//! ```text
//!   fn push(list: List, s: Nat) -> List {          push<list, s>  =  <list as OnList>::Push<s>
//!       match list {
//!           Nil => Cons(s, Nil),                   in the impl for Nil:         type Push<s> = Cons<s, Nil>
//!           Cons(first, rest) =>                   in the impl for Cons<first, rest>:
//!               if first == s { list } else { .. }     type Push<s> = <is<first, s> as OnBool>::PushBranch1<s, first, rest>
//! ```
//!
//! The compiler normalises a type as a whole: for an `if` that is a type with two arguments, it
//! would evaluate both arguments. For an associated type, it evaluates only the arm in the impl. So
//! a branch becomes an associated type, and the outer names that its arms use become the parameters
//! of this type (lambda lifting). In an arm, the name that was matched stands for the constructor,
//! and has the constructor's kind.
//!
//! Law: a text that passes these checks has no unknown name, every argument is of its parameter's
//! kind, and every match covers its kind.

use super::syntax::{Body, Expression, Function, Match, Pattern, is_capital};
use super::table::{Constructor, Table};
use crate::parse::Fault;
use proc_macro::{Ident, Span, TokenStream};
use std::collections::BTreeSet;

/// A type in terms of variables.
#[derive(Clone)]
pub enum Type {
    Variable(usize),
    /// The type of a constructor or a function, with arguments.
    Apply(Ident, Vec<Type>),
    /// The associated type `name` of the matched type, with variables as arguments.
    Branch {
        kind: usize,
        name: Ident,
        scrutinee: Box<Type>,
        arguments: Vec<Type>,
    },
}

impl Type {
    fn collect(&self, variables: &mut BTreeSet<usize>) {
        match self {
            Type::Variable(variable) => {
                variables.insert(*variable);
            }
            Type::Apply(_, arguments) => arguments.iter().for_each(|each| each.collect(variables)),
            Type::Branch {
                scrutinee,
                arguments,
                ..
            } => {
                scrutinee.collect(variables);
                arguments.iter().for_each(|each| each.collect(variables));
            }
        }
    }

    /// Replaces the variable by `to`.
    fn replace(&mut self, variable: usize, to: &Type) {
        match self {
            Type::Variable(own) if *own == variable => *self = to.clone(),
            Type::Variable(_) => {}
            Type::Apply(_, arguments) => {
                arguments
                    .iter_mut()
                    .for_each(|each| each.replace(variable, to));
            }
            Type::Branch {
                scrutinee,
                arguments,
                ..
            } => {
                scrutinee.replace(variable, to);
                arguments
                    .iter_mut()
                    .for_each(|each| each.replace(variable, to));
            }
        }
    }
}

/// A variable: a parameter, or a field in a pattern.
pub struct Variable {
    pub name: Ident,
    pub kind: usize,
}

/// A branch that becomes an associated type of its kind's trait.
pub struct Branch {
    pub docs: TokenStream,
    pub name: Ident,
    pub kind: usize,
    pub parameters: Vec<usize>,
    pub result: usize,
    /// The variables of the shape and the type, for each constructor and each of its shapes.
    pub arms: Vec<Vec<(Vec<usize>, Type)>>,
}

/// A function as a type: its parameters, and the type, or the tokens of a type that is written by
/// hand.
pub struct Alias<'a> {
    pub function: &'a Function,
    pub parameters: Vec<usize>,
    pub body: Result<Type, &'a TokenStream>,
}

/// The types that the functions become.
pub struct Lifted<'a> {
    pub variables: Vec<Variable>,
    pub branches: Vec<Branch>,
    pub aliases: Vec<Alias<'a>>,
}

/// A name that can be used, the type that it stands for, and its kind.
#[derive(Clone)]
struct Named {
    name: String,
    ty: Type,
    kind: usize,
}

/// The functions that the text can call, and the part of the text that is converted so far.
pub struct Lift<'a> {
    table: &'a Table,
    functions: Vec<&'a Function>,
    /// The function that is read, and the number of its branches so far.
    current: Option<(&'a Ident, usize)>,
    done: Lifted<'a>,
}

/// Converts a name like `push_unless` to a type's name.
fn camel(name: &Ident) -> Ident {
    let words = name.to_string();
    let words = words.split('_').filter(|word| !word.is_empty());
    let text: String = words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect();
    Ident::new(&text, name.span())
}

impl<'a> Lift<'a> {
    pub fn new(table: &'a Table, text: &'a [Function]) -> Result<Self, Fault> {
        let mut functions: Vec<&Function> = Vec::new();
        for function in table.functions.iter().chain(text) {
            let name = function.name.to_string();
            if functions.iter().any(|other| other.name.to_string() == name) {
                return Err(Fault::new(
                    function.name.span(),
                    format!("there is a function `{name}` already"),
                ));
            }
            functions.push(function);
        }
        let done = Lifted {
            variables: Vec::new(),
            branches: Vec::new(),
            aliases: Vec::new(),
        };
        Ok(Lift {
            table,
            functions,
            current: None,
            done,
        })
    }

    /// Converts all functions of `text`.
    pub fn text(mut self, text: &'a [Function]) -> Result<Lifted<'a>, Fault> {
        for function in text {
            self.function(function)?;
        }
        Ok(self.done)
    }

    fn variable(&mut self, name: Ident, kind: usize) -> usize {
        self.done.variables.push(Variable { name, kind });
        self.done.variables.len() - 1
    }

    fn function(&mut self, function: &'a Function) -> Result<(), Fault> {
        self.current = Some((&function.name, 0));
        let mut scope = Vec::new();
        let mut parameters = Vec::new();
        for (name, kind) in &function.parameters {
            let kind = self.table.kind(kind)?;
            let variable = self.variable(name.clone(), kind);
            self.enter(&mut scope, name, Type::Variable(variable), kind)?;
            parameters.push(variable);
        }
        let result = self.table.kind(&function.result)?;
        let body = match &function.body {
            Body::Elsewhere => return Ok(()),
            Body::Type(tokens) => Err(tokens),
            Body::Text(Expression::Match(branch)) if is_parameter(&branch.scrutinee, &scope) => {
                let name = camel(&function.name);
                let docs = function.docs.clone();
                let given = Some(parameters.clone());
                Ok(self.branch(branch, &scope, result, name, given, docs)?)
            }
            Body::Text(text) => Ok(self.tail(text, &scope, result)?),
        };
        self.done.aliases.push(Alias {
            function,
            parameters,
            body,
        });
        Ok(())
    }

    /// Adds a name for the rest of the scope.
    fn enter(
        &self,
        scope: &mut Vec<Named>,
        name: &Ident,
        ty: Type,
        kind: usize,
    ) -> Result<(), Fault> {
        let text = name.to_string();
        let fault = |what: &str| {
            Err(Fault::new(
                name.span(),
                format!("`{text}` is {what} already: no name hides another"),
            ))
        };
        if is_capital(name) {
            return Err(Fault::new(
                name.span(),
                format!(
                    "`{text}` begins with a capital letter, as kinds and constructors do: a value's name does not"
                ),
            ));
        }
        if scope.iter().any(|named| named.name == text) {
            return fault("the name of a value");
        }
        if self
            .functions
            .iter()
            .any(|function| function.name.to_string() == text)
        {
            return fault("the name of a function");
        }
        scope.push(Named {
            name: text,
            ty,
            kind,
        });
        Ok(())
    }

    fn kind_name(&self, kind: usize) -> String {
        self.table.kinds[kind].name.to_string()
    }

    /// Checks that a value of kind `found` may be used where `expected` is required.
    fn fits(&self, found: usize, expected: Option<usize>, span: Span) -> Result<(), Fault> {
        match expected {
            Some(expected) if !self.table.is_within(found, expected) => Err(Fault::new(
                span,
                format!(
                    "expected {}, found {}",
                    self.kind_name(expected),
                    self.kind_name(found)
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Converts an expression that is the whole result of a function or an arm, and may therefore
    /// be a branch.
    fn tail(&mut self, text: &Expression, scope: &[Named], result: usize) -> Result<Type, Fault> {
        match text {
            Expression::Block(lets, value) => {
                let scope = self.with_lets(lets, scope)?;
                self.tail(value, &scope, result)
            }
            Expression::Match(branch) => {
                let (function, count) = self.current.as_mut().expect("a function is read");
                *count += 1;
                let name = format!("{}Branch{count}", camel(function));
                let name = Ident::new(&name, branch.span);
                self.branch(branch, scope, result, name, None, TokenStream::new())
            }
            other => Ok(self.value(other, scope, Some(result))?.0),
        }
    }

    fn with_lets(
        &mut self,
        lets: &[(Ident, Expression)],
        scope: &[Named],
    ) -> Result<Vec<Named>, Fault> {
        let mut scope = scope.to_vec();
        for (name, value) in lets {
            let (ty, kind) = self.value(value, &scope, None)?;
            self.enter(&mut scope, name, ty, kind)?;
        }
        Ok(scope)
    }

    /// Converts an expression without branches, and returns its type and kind.
    fn value(
        &mut self,
        text: &Expression,
        scope: &[Named],
        expected: Option<usize>,
    ) -> Result<(Type, usize), Fault> {
        match text {
            Expression::Number(number, span) => {
                let name = match number {
                    0 => "Zero",
                    1 => "One",
                    _ => {
                        return Err(Fault::new(
                            *span,
                            format!(
                                "`{number}` has no name as a type: the numbers of the text are 0 and 1"
                            ),
                        ));
                    }
                };
                let kind = self.table.kind(&Ident::new("Nat", *span))?;
                self.fits(kind, expected, *span)?;
                Ok((Type::Apply(Ident::new(name, *span), Vec::new()), kind))
            }
            Expression::Name(name) => {
                let wanted = name.to_string();
                if let Some(named) = scope.iter().find(|named| named.name == wanted) {
                    self.fits(named.kind, expected, name.span())?;
                    return Ok((named.ty.clone(), named.kind));
                }
                if is_capital(name) {
                    return self.construct(name, &[], scope, expected);
                }
                Err(Fault::new(
                    name.span(),
                    if self
                        .functions
                        .iter()
                        .any(|function| function.name.to_string() == wanted)
                    {
                        format!("`{wanted}` is a function: it needs its arguments")
                    } else {
                        format!("no parameter, field or `let` has the name `{wanted}`")
                    },
                ))
            }
            Expression::Call(name, arguments) if is_capital(name) => {
                self.construct(name, arguments, scope, expected)
            }
            Expression::Call(name, arguments) => self.call(name, arguments, scope, expected),
            Expression::Block(lets, value) => {
                let scope = self.with_lets(lets, scope)?;
                self.value(value, &scope, expected)
            }
            Expression::Match(branch) => Err(Fault::new(
                branch.span,
                "a branch is the whole result of a function, an arm or a block: make this one a function of its own",
            )),
        }
    }

    fn call(
        &mut self,
        name: &Ident,
        arguments: &[Expression],
        scope: &[Named],
        expected: Option<usize>,
    ) -> Result<(Type, usize), Fault> {
        let wanted = name.to_string();
        let found = self
            .functions
            .iter()
            .find(|function| function.name.to_string() == wanted);
        let Some(function) = found.copied() else {
            return Err(Fault::new(
                name.span(),
                format!(
                    "no function has the name `{wanted}`: one of another file is declared here, `fn {wanted}(..) -> Kind;`"
                ),
            ));
        };
        if function.parameters.len() != arguments.len() {
            return Err(count(name, function.parameters.len(), arguments.len()));
        }
        let mut types = Vec::new();
        for (argument, (_, kind)) in arguments.iter().zip(&function.parameters) {
            let kind = self.table.kind(kind)?;
            types.push(self.value(argument, scope, Some(kind))?.0);
        }
        let kind = self.table.kind(&function.result)?;
        self.fits(kind, expected, name.span())?;
        Ok((Type::Apply(name.clone(), types), kind))
    }

    fn construct(
        &mut self,
        name: &Ident,
        arguments: &[Expression],
        scope: &[Named],
        expected: Option<usize>,
    ) -> Result<(Type, usize), Fault> {
        let table = self.table;
        let wanted = name.to_string();
        let all: Vec<(usize, &Constructor)> = table.constructors(&wanted).collect();
        let Some(&first) = all.first() else {
            return Err(Fault::new(
                name.span(),
                format!("no kind has a constructor `{wanted}`"),
            ));
        };
        // If several kinds have the constructor, the narrowest is meant: `Nil` is a List before it
        // is a Tree.
        let least = |within: Option<usize>| {
            let fits = all
                .iter()
                .filter(|(kind, _)| within.is_none_or(|whole| table.is_within(*kind, whole)));
            fits.copied().reduce(|best, next| {
                if table.is_within(next.0, best.0) {
                    next
                } else {
                    best
                }
            })
        };
        let (kind, constructor) = least(expected).unwrap_or(first);
        let fields = &constructor.fields;
        let needed = fields
            .iter()
            .take_while(|field| field.default.is_none())
            .count();
        if arguments.len() < needed || arguments.len() > fields.len() {
            return Err(count(name, fields.len(), arguments.len()));
        }
        let mut types = Vec::new();
        let mut kinds = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let wanted = table.kind(&field.kind)?;
            let (ty, kind) = match (arguments.get(at), &field.default) {
                (Some(argument), _) => self.value(argument, scope, Some(wanted))?,
                (None, Some(default)) => self.value(default, &[], Some(wanted))?,
                (None, None) => return Err(count(name, fields.len(), arguments.len())),
            };
            types.push(ty);
            kinds.push(kind);
        }
        if constructor.whole {
            self.fits(kinds[0], expected, name.span())?;
            return Ok((types.remove(0), kinds[0]));
        }
        self.fits(kind, expected, name.span())?;
        let head = Ident::new(&constructor.shapes[0].head.to_string(), name.span());
        Ok((Type::Apply(head, types), kind))
    }

    /// Makes the branch an associated type, and returns this type. Its parameters are those
    /// `given`, or else the variables that its arms use; the matched variable is left out in both
    /// cases.
    fn branch(
        &mut self,
        branch: &Match,
        scope: &[Named],
        result: usize,
        name: Ident,
        given: Option<Vec<usize>>,
        docs: TokenStream,
    ) -> Result<Type, Fault> {
        let table = self.table;
        let expected = if branch.is_if {
            Some(table.kind(&Ident::new("Bool", branch.scrutinee.span()))?)
        } else {
            None
        };
        let (scrutinee, kind) = self.value(&branch.scrutinee, scope, expected)?;
        self.patterns(branch, kind)?;
        let mut arms = Vec::new();
        for constructor in &table.kinds[kind].constructors {
            let (pattern, body) = branch
                .arms
                .iter()
                .find(|(pattern, _)| selects(pattern, constructor).is_some())
                .expect("the patterns cover the kind");
            let binds = selects(pattern, constructor).expect("this one selects it");
            let mut shapes = Vec::new();
            for shape in &constructor.shapes {
                let mut inner = scope.to_vec();
                let mut own = Vec::new();
                for (at, (field, field_kind)) in shape.variables().enumerate() {
                    let field_kind = table.kind(field_kind)?;
                    let bound = binds.fields.get(at).copied().flatten();
                    let bound = bound.filter(|_| !constructor.whole);
                    let variable = self.variable(bound.unwrap_or(field).clone(), field_kind);
                    own.push(variable);
                    if let Some(bound) = bound {
                        self.enter(&mut inner, bound, Type::Variable(variable), field_kind)?;
                    }
                }
                let mut variables = own.iter();
                let arguments = shape.arguments.iter().map(|(argument, kind)| match kind {
                    Some(_) => Type::Variable(*variables.next().expect("one for each")),
                    None => Type::Apply(argument.clone(), Vec::new()),
                });
                let whole = Type::Apply(shape.head.clone(), arguments.collect());
                let narrow = if constructor.whole {
                    table.kind(&constructor.fields[0].kind)?
                } else {
                    self.narrowest(kind, constructor)
                };
                if let (true, Some(Some(bound))) = (constructor.whole, binds.fields.first()) {
                    self.enter(&mut inner, bound, whole.clone(), narrow)?;
                }
                if let Some(bound) = binds.whole {
                    self.enter(&mut inner, bound, whole.clone(), narrow)?;
                }
                if let Type::Variable(matched) = scrutinee {
                    for named in &mut inner {
                        if matches!(named.ty, Type::Variable(variable) if variable == matched) {
                            named.kind = narrow;
                        }
                        named.ty.replace(matched, &whole);
                    }
                }
                let ty = self.tail(body, &inner, result)?;
                shapes.push((own, ty));
            }
            arms.push(shapes);
        }
        let mut used = BTreeSet::new();
        for (own, ty) in arms.iter().flatten() {
            let mut all = BTreeSet::new();
            ty.collect(&mut all);
            used.extend(all.into_iter().filter(|variable| !own.contains(variable)));
        }
        let mut parameters = given.unwrap_or_else(|| used.into_iter().collect());
        if let Type::Variable(matched) = scrutinee {
            parameters.retain(|parameter| *parameter != matched);
        }
        let arguments = parameters
            .iter()
            .map(|each| Type::Variable(*each))
            .collect();
        self.done.branches.push(Branch {
            docs,
            name: name.clone(),
            kind,
            parameters,
            result,
            arms,
        });
        Ok(Type::Branch {
            kind,
            name,
            scrutinee: Box::new(scrutinee),
            arguments,
        })
    }

    /// Returns the narrowest kind of the values that `constructor` of `kind` makes.
    fn narrowest(&self, kind: usize, constructor: &Constructor) -> usize {
        let name = constructor.name.to_string();
        let others = self.table.constructors(&name).map(|(kind, _)| kind);
        others.fold(kind, |best, next| {
            if self.table.is_within(next, best) {
                next
            } else {
                best
            }
        })
    }

    /// Checks that each pattern is of the kind and selects a constructor that the patterns before
    /// it leave, and that no constructor is left after the last pattern.
    fn patterns(&self, branch: &Match, kind: usize) -> Result<(), Fault> {
        let of = &self.table.kinds[kind];
        if of.constructors.is_empty() {
            return Err(Fault::new(
                branch.scrutinee.span(),
                format!(
                    "nothing can be matched on {}: it has no constructors",
                    of.name
                ),
            ));
        }
        let mut left: Vec<&Constructor> = of.constructors.iter().collect();
        for (pattern, _) in &branch.arms {
            self.pattern(pattern, kind)?;
            let before = left.len();
            left.retain(|constructor| selects(pattern, constructor).is_none());
            if left.len() == before {
                return Err(Fault::new(
                    pattern.span(),
                    "this arm is never reached: those before it cover all that it selects",
                ));
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = left
            .iter()
            .map(|constructor| format!("`{}`", constructor.name))
            .collect();
        Err(Fault::new(
            branch.span,
            format!("no arm for {} of {}", names.join(", "), of.name),
        ))
    }

    fn pattern(&self, pattern: &Pattern, kind: usize) -> Result<(), Fault> {
        match pattern {
            Pattern::Any(..) => Ok(()),
            Pattern::Or(all) => all.iter().try_for_each(|each| match each {
                Pattern::Constructor(_, Some(fields)) => match fields.iter().flatten().next() {
                    Some(name) => Err(Fault::new(
                        name.span(),
                        format!(
                            "an arm of several patterns names no field: write `_`, not `{name}`"
                        ),
                    )),
                    None => self.pattern(each, kind),
                },
                each => self.pattern(each, kind),
            }),
            Pattern::Constructor(name, fields) => {
                let of = &self.table.kinds[kind];
                let text = name.to_string();
                let Some(constructor) = of
                    .constructors
                    .iter()
                    .find(|each| each.name.to_string() == text)
                else {
                    let all: Vec<String> = of
                        .constructors
                        .iter()
                        .map(|each| each.name.to_string())
                        .collect();
                    return Err(Fault::new(
                        name.span(),
                        format!(
                            "`{text}` is no constructor of {}, which has {}",
                            of.name,
                            all.join(", ")
                        ),
                    ));
                };
                let found = fields.as_ref().map_or(0, Vec::len);
                if found == constructor.fields.len() {
                    Ok(())
                } else {
                    Err(count(name, constructor.fields.len(), found))
                }
            }
        }
    }
}

fn is_parameter(text: &Expression, scope: &[Named]) -> bool {
    matches!(text, Expression::Name(name) if scope.iter().any(|named| name.to_string() == named.name))
}

fn count(name: &Ident, needed: usize, found: usize) -> Fault {
    Fault::new(
        name.span(),
        format!("`{name}` takes {needed} values, not {found}"),
    )
}

/// The names that a pattern binds.
struct Binds<'p> {
    fields: Vec<Option<&'p Ident>>,
    whole: Option<&'p Ident>,
}

/// Returns the names that the pattern binds for a constructor, or `None` if it does not select this
/// constructor.
fn selects<'p>(pattern: &'p Pattern, constructor: &Constructor) -> Option<Binds<'p>> {
    match pattern {
        Pattern::Any(whole, _) => Some(Binds {
            fields: Vec::new(),
            whole: whole.as_ref(),
        }),
        Pattern::Constructor(name, fields) => (name.to_string() == constructor.name.to_string())
            .then(|| Binds {
                fields: fields.iter().flatten().map(Option::as_ref).collect(),
                whole: None,
            }),
        Pattern::Or(all) => all.iter().find_map(|each| selects(each, constructor)),
    }
}
