//! Checks textures and surfaces: faults at run time, with their place, and refused instructions.

use super::*;
use crate::common::kind;
use emulator::{
    Access, AddressMode, ArrayDesc, ArrayShape, Config, FaultKind, FilterMode, ReadMode, Space,
    TexelFormat, TextureDesc, TextureError,
};

#[test]
fn faults_name_handle_place_and_extents() {
    let new = |body: &str, config: Config| Bench::with(&entry(1, &format!("{body} ret;")), config);
    let small = |bench: &Bench, shape, extents, format| {
        let desc = ArrayDesc {
            shape,
            extents,
            channels: 1,
            format,
        };
        bench.device.array(&desc).unwrap()
    };
    let plain = |array| TextureDesc {
        array,
        address: [AddressMode::Clamp; 3],
        filter: FilterMode::Point,
        read: ReadMode::Element,
        normalized: false,
    };
    let fetch = "mov.b32 %r1, 0; tex.2d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%a0, {%r1, %r1}];";
    let wrong =
        |bench: &Bench, handle: u64| match kind(bench.launch("k", 1, 1, &[Arg::U64(handle)])) {
            FaultKind::NoTexture {
                wanted,
                handle: named,
                problem,
            } if named == handle => format!("{wanted}: {problem}"),
            other => panic!("{other:?}"),
        };
    let bench = new(fetch, Config::default());
    assert_eq!(wrong(&bench, 0), "texture: no object has this handle");
    let plane = small(&bench, ArrayShape::D2, [4, 3, 1], TexelFormat::F32);
    let surface = bench.device.surface(plane).unwrap();
    assert_eq!(wrong(&bench, surface), "texture: it is a surface");
    let line = small(&bench, ArrayShape::D1, [4, 1, 1], TexelFormat::F32);
    let line = bench.device.texture(&plain(line)).unwrap();
    assert_eq!(
        wrong(&bench, line),
        "texture: its array is .1d, the instruction is .2d"
    );
    let integers = small(&bench, ArrayShape::D2, [4, 3, 1], TexelFormat::S8);
    let integers = bench.device.texture(&plain(integers)).unwrap();
    assert!(wrong(&bench, integers).contains("S8 read as Element"));
    let good = bench.device.texture(&plain(plane)).unwrap();
    assert_eq!(
        kind(bench.launch("k", 1, 1, &[Arg::U64(good)])),
        FaultKind::Uninitialised {
            space: Space::Array,
            offset: 0,
            length: 48,
            later: None,
        }
    );
    bench.device.write_array(plane, &[0; 48]).unwrap();
    bench.run("k", 1, 1, &[Arg::U64(good)]);
    bench.device.free_array(plane).unwrap();
    assert_eq!(wrong(&bench, good), "texture: its array was freed");
    assert!(matches!(
        bench.device.surface(plane),
        Err(TextureError::NoArray { .. })
    ));

    let outside = |body: &str| {
        let bench = new(body, Config::default());
        let array = small(&bench, ArrayShape::A2d, [4, 3, 2], TexelFormat::U32);
        let surface = bench.device.surface(array).unwrap();
        let fault = bench.fault("k", 1, 1, &[Arg::U64(surface)]);
        (fault.to_string(), fault.what, surface)
    };
    let (text, what, surface) =
        outside("mov.u32 %r1, 0; sust.b.a2d.v2.b32.trap [%a0, {1, 16, 2, 2}], {%r1, %r1};");
    assert_eq!(
        what,
        FaultKind::OutsideSurface {
            handle: surface,
            access: Access::Write,
            size: 8,
            coordinates: [16, 2, 1],
            extents: [16, 3, 2]
        }
    );
    assert!(
        text.contains("write of 8 bytes outside of surface") && text.contains("in 16 x 3 x 2"),
        "{text}"
    );
    for place in [
        "{0, -4, 0, 0}",
        "{0, 0, 3, 0}",
        "{0, 0, -1, 0}",
        "{2, 0, 0, 0}",
        "{-1, 0, 0, 0}",
    ] {
        let (_, what, _) = outside(&format!("suld.b.a2d.b32.trap {{%r1}}, [%a0, {place}];"));
        assert!(
            matches!(
                what,
                FaultKind::OutsideSurface {
                    access: Access::Read,
                    ..
                }
            ),
            "{place}"
        );
    }
    assert_eq!(
        outside("suld.b.a2d.b32.clamp {%r1}, [%a0, {0, 2, 0, 0}];").1,
        FaultKind::Misaligned {
            space: Space::Array,
            alignment: 4
        }
    );
}

#[test]
fn descriptions_and_instructions_that_are_refused() {
    let bench = Bench::new(&entry(0, "ret;"));
    let desc = ArrayDesc {
        shape: ArrayShape::D2,
        extents: [4, 3, 1],
        channels: 4,
        format: TexelFormat::U32,
    };
    let refused = |desc: ArrayDesc| bench.device.array(&desc).unwrap_err().to_string();
    assert_eq!(
        refused(ArrayDesc {
            extents: [4, 0, 1],
            ..desc
        }),
        "extent 1 of a .2d array is 0, which is not within 1..=65536"
    );
    assert!(
        refused(ArrayDesc {
            extents: [4, 3, 2],
            ..desc
        })
        .starts_with("extent 2 ")
    );
    assert_eq!(
        refused(ArrayDesc {
            channels: 3,
            ..desc
        }),
        "a texel has 1, 2 or 4 channels, not 3"
    );
    let huge = ArrayDesc {
        shape: ArrayShape::D3,
        extents: [16_384; 3],
        ..desc
    };
    assert!(refused(huge).starts_with("out of device memory"));
    let array = bench.device.array(&desc).unwrap();
    let texture = TextureDesc {
        array,
        address: [AddressMode::Wrap; 3],
        filter: FilterMode::Linear,
        read: ReadMode::Element,
        normalized: true,
    };
    let format = TexelFormat::U32;
    assert_eq!(
        bench.device.texture(&texture),
        Err(TextureError::Filter { format })
    );
    let read = ReadMode::NormalizedFloat;
    assert_eq!(
        bench.device.texture(&TextureDesc { read, ..texture }),
        Err(TextureError::ReadMode { format })
    );
    assert_eq!(
        bench.device.write_array(array, &[0; 7]),
        Err(TextureError::Length {
            expected: 192,
            found: 7
        })
    );
    for other in [
        "tex.cube.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%a0, {%r1, %r1, %r1, %r1}];",
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%a0, %a0, {%r1, %r1}];",
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}|%p1, [%a0, {%r1, %r1}];",
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%a0, {%r1, %r1}], {1, 1};",
        "tex.grad.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%a0, {%r1, %r1}], {%r1, %r1}, {%r1, %r1};",
        "tld4.r.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%a0, {%r1, %r1}];",
        "sust.p.2d.b32.trap [%a0, {%r1, %r1}], {%r1};",
        "txq.width.b32 %r1, [%a0];",
    ] {
        let bench = Bench::new(&entry(1, &format!("{other} ret;")));
        assert!(bench.program.not_emulated("k").is_some(), "{other}");
    }
}
