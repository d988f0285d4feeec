//! Checks `ldmatrix`, `stmatrix`, `movmatrix`, `mma`.

use super::*;

#[test]
fn matrices_load_and_store() {
    let input = bytes(512, 7);
    let half = |row: usize, column: usize| {
        let at = row * 16 + column * 2;
        u16::from_le_bytes([input[at], input[at + 1]])
    };
    let prepare = "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %a0, %d0; add.u64 %d2, %d30, %d0; cvt.u32.u64 %r9, %d2;\n\
                   ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d1]; st.shared.v4.u32 [%d2], {%r1,%r2,%r3,%r4}; bar.sync 0;\n";
    for (count, registers) in [(1, "{%r1}"), (2, "{%r1,%r2}"), (4, "{%r1,%r2,%r3,%r4}")] {
        for trans in ["", ".trans"] {
            let body = format!(
                "{prepare} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [%r9];\n\
                 add.u64 %d3, %a1, %d0; st.global.v4.u32 [%d3], {{%r1,%r2,%r3,%r4}};"
            );
            let (out, report) = run(&body, 32, &input, 512);
            for lane in 0..32 {
                for matrix in 0..count {
                    // PTX: a lane gets row lane / 4 and columns 2 (lane % 4) and the next one, of
                    // the matrix or of its transpose.
                    for k in 0..2 {
                        let (i, j) = (lane / 4, 2 * (lane % 4) + k);
                        let expected = if trans.is_empty() {
                            half(8 * matrix + i, j)
                        } else {
                            half(8 * matrix + j, i)
                        };
                        let at = lane * 16 + matrix * 4 + k * 2;
                        assert_eq!(
                            u16::from_le_bytes([out[at], out[at + 1]]),
                            expected,
                            "x{count}{trans} lane {lane}"
                        );
                    }
                }
            }
            let line = report
                .lines
                .iter()
                .find(|l| l.instruction.starts_with("ldmatrix"))
                .unwrap();
            // Rows of 16 bytes follow each other: 128 bytes per matrix, without conflicts.
            assert_eq!(
                (line.memory.shared_wavefronts, line.memory.bank_conflicts),
                (count as u64, 0)
            );
            // Stored again as they were loaded, the registers give the original rows, this time at
            // a generic address.
            let body = format!(
                "{prepare} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [%r9]; bar.sync 0;\n\
                 cvta.shared.u64 %d4, %d2; stmatrix.sync.aligned.m8n8.x{count}{trans}.b16 [%d4+2048], {registers};\n\
                 bar.sync 0; setp.lt.u32 %p1, %tid, {}; add.u64 %d3, %a1, %d0;\n\
                 @%p1 ld.shared.v4.u32 {{%r1,%r2,%r3,%r4}}, [%d2+2048]; @%p1 st.global.v4.u32 [%d3], {{%r1,%r2,%r3,%r4}};",
                8 * count
            );
            let (out, _) = run(&body, 32, &input, 512);
            assert_eq!(
                out[..128 * count],
                input[..128 * count],
                "stmatrix x{count}{trans}"
            );
        }
    }
    let body = format!(
        "{prepare} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r1}}, [%r9]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n\
         ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {{%r2}}, [%r9]; xor.b32 %r1, %r1, %r2;\n\
         mul.wide.u32 %d0, %tid, 4; add.u64 %d3, %a1, %d0; st.global.u32 [%d3], %r1;"
    );
    assert_eq!(run(&body, 32, &input, 128).0, [0; 128]);
}

#[test]
fn a_matrix_product() {
    // D = A B + C in f16 with f32 sums, for 16x8x16 and 16x8x8. The integers are small, so that
    // every sum is exact.
    for k in [16usize, 8] {
        for ty in ["f16", "bf16"] {
            let mut random = Random(k as u64);
            let mut small = |n: usize| -> Vec<f32> {
                (0..n).map(|_| (random.next() % 17) as f32 - 8.0).collect()
            };
            let (a, b, c) = (small(16 * k), small(k * 8), small(16 * 8));
            let bits = |v: f32| {
                if ty == "f16" {
                    half::f16::from_f32(v).to_bits()
                } else {
                    half::bf16::from_f32(v).to_bits()
                }
            };
            // The registers of each lane by PTX's figures: g = lane / 4, t = lane % 4.
            let pair = |m: &[f32], n: usize, i: usize, j: usize, down: bool| {
                let next = if down {
                    m[(i + 1) * n + j]
                } else {
                    m[i * n + j + 1]
                };
                u32::from(bits(m[i * n + j])) | u32::from(bits(next)) << 16
            };
            let mut words = Vec::new();
            for lane in 0..32 {
                let (g, t) = (lane / 4, lane % 4);
                let mut record = Vec::new();
                for (di, dj) in [(0, 0), (8, 0), (0, 8), (8, 8)].into_iter().take(k / 4) {
                    record.push(pair(&a, k, g + di, 2 * t + dj, false));
                }
                for di in [0, 8].into_iter().take(k / 8) {
                    record.push(pair(&b, 8, 2 * t + di, g, true));
                }
                for (di, dj) in [(0, 0), (0, 1), (8, 0), (8, 1)] {
                    record.push(c[(g + di) * 8 + 2 * t + dj].to_bits());
                }
                record.resize(12, 0);
                words.extend(record);
            }
            let (n_a, n_b) = (k / 4, k / 8);
            let name = |from: usize, n: usize| {
                (from..from + n)
                    .map(|i| format!("%r{}", 10 + i))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let body = format!(
                "mul.wide.u32 %d0, %tid, 48; add.u64 %d1, %a0, %d0;\n\
                 ld.global.v4.u32 {{%r10,%r11,%r12,%r13}}, [%d1]; ld.global.v4.u32 {{%r14,%r15,%r16,%r17}}, [%d1+16];\n\
                 ld.global.v4.u32 {{%r18,%r19,%r20,%r21}}, [%d1+32];\n\
                 mma.sync.aligned.m16n8k{k}.row.col.f32.{ty}.{ty}.f32 {{%r1,%r2,%r3,%r4}}, {{{}}}, {{{}}}, {{{}}};\n\
                 mul.wide.u32 %d0, %tid, 16; add.u64 %d2, %a1, %d0; st.global.v4.u32 [%d2], {{%r1,%r2,%r3,%r4}};",
                name(0, n_a),
                name(n_a, n_b),
                name(n_a + n_b, 4)
            );
            let input: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
            let (out, report) = run(&body, 32, &input, 512);
            for lane in 0..32 {
                let (g, t) = (lane / 4, lane % 4);
                for (r, (di, dj)) in [(0, 0), (0, 1), (8, 0), (8, 1)].into_iter().enumerate() {
                    let (i, j) = (g + di, 2 * t + dj);
                    let expected =
                        c[i * 8 + j] + (0..k).map(|x| a[i * k + x] * b[x * 8 + j]).sum::<f32>();
                    let at = lane * 16 + r * 4;
                    let found = f32::from_le_bytes(out[at..at + 4].try_into().unwrap());
                    assert_eq!(found, expected, "{ty} k={k} ({i},{j})");
                }
            }
            assert_eq!(
                report
                    .opcodes
                    .iter()
                    .filter(|(name, _)| name.starts_with("mma"))
                    .count(),
                1
            );
        }
    }
}

#[test]
fn every_mma_of_the_table_lowers() {
    for mma in emulator::numerics::mma::Mma::all() {
        let need = mma.registers();
        let file = if need.bits == 64 { "%d" } else { "%r" };
        let list = |n: usize, from: usize| {
            let names: Vec<String> = (from..from + n).map(|i| format!("{file}{i}")).collect();
            format!("{{{}}}", names.join(","))
        };
        let body = format!(
            "{mma} {}, {}, {}, {}; ret;",
            list(need.d, 0),
            list(need.a, 8),
            list(need.b, 16),
            list(need.c, 24)
        );
        let bench = Bench::new(&entry(0, &body));
        bench.run("k", 1, 32, &[]);
    }
}
