//! The launches at which the kernels of weights of few bits are checked.
//!
//! ```text
//!   (tokens, rows, groups of k) ─ plan on two multiprocessors ─► buffers, parameters, maps ──► a launch, several tiles a CTA
//! ```
//!
//! Law: every kernel of the menus is launched, and only as its plan says.

use super::own::{Effort, Given, Own, of_list};
use crate::weights::{Body, InputType, MENUS, Resources, WeightsConfiguration, WeightsProblem};
use emulator::{TensorElement, TensorMap, TensorSwizzle};
use kernel_abi::gemm::{Activation, Epilogue, MapElement, TensorMapPlan};
use kernel_abi::weights::WeightsArgument;

/// The sizes: tokens, rows of W, and k as a multiple of the least k.
const SIZES: [[u32; 3]; 8] = [
    [3, 130, 9],
    [1, 16, 1],
    [8, 300, 20],
    [33, 128, 17],
    [70, 257, 5],
    [16, 64, 40],
    [129, 129, 8],
    [32, 500, 33],
];

/// Two multiprocessors, on which one cluster of each size fits, so that a CTA has several tiles.
const RESOURCES: Resources = Resources {
    multiprocessors: 2,
    clusters: [1; 3],
    shared_bytes: 227 << 10,
};

/// Returns a tensor map over a buffer of its own.
fn map(input: InputType, of: &TensorMapPlan) -> Given {
    let element = match (of.element, input) {
        (MapElement::Word, _) => TensorElement::F32,
        (_, InputType::F16) => TensorElement::F16,
        _ => TensorElement::Bf16,
    };
    let bytes = u64::from(of.element.bytes(input));
    let strides = of.strides.map(|stride| bytes * stride);
    // The buffer's address comes with the launch.
    let mut map = TensorMap::new(element, 0, &of.extents, &strides, &of.box_extents);
    if of.swizzled {
        map.swizzle = TensorSwizzle::B128;
    }
    let [columns, rows, layers] = of.extents;
    let last = (layers - 1) * strides[1] + (rows - 1) * strides[0];
    Given::Map {
        map: Box::new(map),
        bytes: (last + bytes * columns) as usize,
    }
}

/// Returns the launch of a kernel at size number `i`, or `None` if the kernel takes fewer tokens.
fn launch(of: &WeightsConfiguration, i: usize, [m, n, k]: [u32; 3]) -> Option<Own> {
    if matches!(of.body, Body::FewRows { .. }) && m > of.tokens {
        return None;
    }
    let shape = (m, n, k * of.packed.k_multiple());
    let mut problem = WeightsProblem::new(shape, of.input, of.packed);
    if i % 2 == 1 {
        problem.product.epilogue = Epilogue {
            alpha: 0.5,
            beta: 2.0,
            bias: true,
            activation: Activation::Relu,
        };
    }
    let plan = of.plan(&problem, &RESOURCES).ok()?;
    let (m, n, k) = shape;
    let said = format!(
        "m = {m}, n = {n}, k = {k}, epilogue {:#x}",
        plan.params.epilogue
    );
    let maps = plan.maps.as_ref();
    let map = |plan| map(of.input, plan);
    let given = |argument| match argument {
        WeightsArgument::Params => {
            let words = plan.params.to_u64s().into_iter();
            Some(Given::Bytes(words.flat_map(u64::to_le_bytes).collect()))
        }
        WeightsArgument::Workspace => Some(Given::Buffer {
            bytes: plan.workspace_bytes() as usize,
            input: false,
            zeroed: plan.zeroed_bytes as usize,
        }),
        WeightsArgument::MapX => maps.map(|[x, _, _]| map(x)),
        WeightsArgument::MapCodes => maps.map(|[_, codes, _]| map(codes)),
        WeightsArgument::MapRecords => maps.map(|[_, _, records]| map(records)),
        _ => None,
    };
    Some(of_list(&plan.launch, said, plan.arguments(), given)?.of_hopper())
}

/// Returns all launches of these kernels.
pub(super) fn launches(effort: Effort) -> Vec<Own> {
    let sizes = effort.of(&SIZES, 2, 5);
    let all = MENUS.iter().flat_map(|menu| menu.configurations);
    all.flat_map(|of| {
        let of_kernel = sizes.iter().enumerate();
        of_kernel.filter_map(|(i, &size)| launch(of, i, size))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Effort, every_check, own};
    use crate::weights::MENUS;

    #[test]
    fn every_kernel_has_launches() {
        let all = super::launches(Effort::Few);
        for of in MENUS.iter().flat_map(|menu| menu.configurations) {
            let count = all.iter().filter(|own| own.kernel() == of.kernel).count();
            assert_eq!(count, 2, "{}", of.kernel);
        }
    }

    #[test]
    fn nothing_is_found() {
        for kernel in ["weights_e4m3_row_f16_t8", "weights_nvfp4_g16_bf16_m32"] {
            let checked = own(kernel, Effort::Few, &every_check()).unwrap();
            let findings: Vec<_> = checked.findings().collect();
            assert!(checked.clean(), "{kernel}: {findings:?}");
        }
    }
}
