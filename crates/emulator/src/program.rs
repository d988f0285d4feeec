//! A parsed, checked and lowered PTX module.

use std::sync::Arc;

use crate::error::{NotEmulated, PtxError};
use crate::instructions::FAMILIES;
use crate::ir::{Image, VariableKind};
use crate::lower::lower;
use crate::profile::LiveRegisters;
use crate::signature::{Signature, Target};

/// A PTX module, ready to run. It is immutable, and cheap to clone and share.
///
/// ```
/// let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n\
///            .visible .entry fill(.param .u64 p, .param .u32 n) { ret; }";
/// let program = emulator::Program::parse(ptx)?;
/// assert_eq!(program.target().to_string(), "sm_80");
/// let fill = program.kernel("fill").unwrap();
/// assert_eq!((fill.params.len(), fill.params[1].size), (2, 4));
/// # Ok::<(), emulator::PtxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) image: Arc<Image>,
}

impl Program {
    /// Reads and lowers a module.
    ///
    /// # Errors
    /// [`PtxError`], with line, column and the line's text, for text that is not PTX: bad syntax,
    /// names that nothing declares, operands of the wrong type. An instruction, modifier or
    /// directive that the emulator does not know condemns the kernels that reach it
    /// ([`Program::not_emulated`]); nothing that has an effect is skipped.
    pub fn parse(ptx: &str) -> Result<Program, PtxError> {
        let module = crate::reader::read(ptx)?;
        Ok(Program {
            image: Arc::new(lower(ptx, &module, FAMILIES)?),
        })
    }

    /// Returns the module's `.target`.
    pub fn target(&self) -> Target {
        self.image.target
    }

    /// Returns the kernels (`.entry`) in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Signature> {
        self.image.kernels.iter().map(|(signature, _)| signature)
    }

    /// Returns the reason why the kernel of that name cannot be launched: an instruction that the
    /// emulator does not know, in the kernel or in a function that it may call. Returns `None` for
    /// a kernel that can be launched, and for a name that is not a kernel's.
    pub fn not_emulated(&self, kernel: &str) -> Option<&NotEmulated> {
        let mut kernels = self.image.kernels.iter();
        let (_, kernel) = kernels.find(|(signature, _)| signature.name == kernel)?;
        kernel.not_emulated.as_deref()
    }

    /// Whether the kernel of that name, or a function that it may call, has bulk copies, `wgmma` or
    /// `tcgen05`: a [`Schedule`](crate::Schedule) affects only these. The result is `false` for a
    /// name that is not a kernel's.
    ///
    /// ```
    /// let ptx = ".version 8.0 .target sm_90a .address_size 64
    ///     .visible .entry plain() { ret; }
    ///     .shared .align 16 .b8 s[16];
    ///     .visible .entry copy(.param .u64 p) {
    ///       .reg .b64 %a; ld.param.u64 %a, [p]; cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 16; ret; }";
    /// let program = emulator::Program::parse(ptx)?;
    /// assert!(!program.is_asynchronous("plain") && program.is_asynchronous("copy"));
    /// # Ok::<(), emulator::PtxError>(())
    /// ```
    #[must_use]
    pub fn is_asynchronous(&self, kernel: &str) -> bool {
        let mut kernels = self.image.kernels.iter();
        let found = kernels.find(|(signature, _)| signature.name == kernel);
        found.is_some_and(|(_, kernel)| kernel.asynchronous)
    }

    /// Returns the registers that a kernel needs by its PTX, with those of the functions that it
    /// may call by name, or `None` for a name that is not a kernel's.
    ///
    /// ```
    /// let ptx = ".version 7.0 .target sm_80 .address_size 64
    ///     .visible .entry twice(.param .u64 p) .maxntid 1024 {
    ///       .reg .b64 %a<3>; .reg .b32 %r<3>;
    ///       ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.s64 %a2, %a1, %a2;
    ///       ld.global.u32 %r2, [%a2]; add.u32 %r2, %r2, %r2; st.global.u32 [%a2], %r2; ret; }";
    /// let program = emulator::Program::parse(ptx)?;
    /// let registers = program.registers("twice").unwrap();
    /// // An address of two words, and a value. The parameter is the same in all threads.
    /// assert_eq!((registers.live, registers.most), (3, 64));
    /// # Ok::<(), emulator::PtxError>(())
    /// ```
    #[must_use]
    pub fn registers(&self, kernel: &str) -> Option<LiveRegisters> {
        LiveRegisters::of(&self.image, kernel)
    }

    /// Returns the names of the module's `.global` and `.const` variables.
    pub fn variables(&self) -> Vec<&str> {
        let variables = self.image.variables.iter();
        variables
            .filter(|variable| matches!(variable.kind, VariableKind::Global | VariableKind::Const))
            .map(|variable| variable.name.as_str())
            .collect()
    }

    /// Returns the kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Signature> {
        self.kernels().find(|signature| signature.name == name)
    }
}
