//! Compares algorithms from element to element with loops.

use atom_checks::place::places;
use host::Launch;
use host::reference::Random;

/// Returns the indices of a thread's 16 elements, in order: four runs of four.
fn part(thread: usize) -> impl Iterator<Item = usize> {
    (0..16).map(move |i| 4 * thread + i % 4 + 128 * (i / 4))
}

fn numbers(seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..512)
        .map(|_| (random.uniform() * 200.0 - 100.0) as f32)
        .collect()
}

#[test]
fn scaled_sums_are_rounded_step_by_step() {
    let once = Launch::new(1, 32);
    for place in places() {
        let x = numbers(1);
        let from = place.device().upload(&x).unwrap();
        for (alpha, beta) in [(1.0_f32, 1.0_f32), (0.3, -1.7), (0.0, 2.5), (7.1, 0.0)] {
            let old = numbers(2);
            let mut y = place.device().upload(&old).unwrap();
            place.run("tensor_axpby", &once, (&mut y, &from, alpha, beta));
            let found = y.to_vec().unwrap();
            for i in 0..512 {
                let expected = if beta == 0.0 {
                    alpha * x[i]
                } else {
                    alpha * x[i] + beta * old[i]
                };
                assert_eq!(found[i].to_bits(), expected.to_bits(), "{}", place.name());
            }
        }
        // If beta is zero, the old contents of y do not matter.
        let mut y = place.device().upload(&vec![f32::NAN; 512]).unwrap();
        place.run("tensor_axpby", &once, (&mut y, &from, 3.0_f32, 0.0_f32));
        let expected: Vec<f32> = x.iter().map(|x| 3.0 * x).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
        println!("{}: axpby", place.name());
    }
}

#[test]
fn transforms_are_functions_of_elements() {
    for place in places() {
        let x = numbers(3);
        let device = place.device();
        let from = device.upload(&x).unwrap();
        let mut bits = device.upload(&vec![0_u32; 512]).unwrap();
        let mut most = device.upload(&vec![0_f32; 512]).unwrap();
        let args = (&mut bits, &mut most, &from, -12.5_f32);
        place.run("tensor_transform", &Launch::new(1, 32), args);
        let expected: Vec<u32> = x.iter().map(|x| x.abs().to_bits()).collect();
        assert_eq!(bits.to_vec().unwrap(), expected, "{}", place.name());
        let expected: Vec<f32> = x.iter().map(|&x| x.max(-12.5)).collect();
        assert_eq!(most.to_vec().unwrap(), expected, "{}", place.name());
        println!("{}: transform, transform_with, fill", place.name());
    }
}

#[test]
fn sums_are_in_the_order_of_the_elements() {
    for place in places() {
        let x = numbers(4);
        let from = place.device().upload(&x).unwrap();
        let mut sums = place.device().upload(&[0_f32; 32]).unwrap();
        let launch = Launch::new(1, 32);
        place.run("tensor_reduce", &launch, (&mut sums, &from));
        let expected: Vec<u32> = (0..32)
            .map(|thread| part(thread).fold(0.0, |sum: f32, i| sum + x[i]).to_bits())
            .collect();
        let found: Vec<u32> = sums
            .to_vec()
            .unwrap()
            .into_iter()
            .map(f32::to_bits)
            .collect();
        assert_eq!(found, expected, "{}", place.name());
        println!("{}: reduce", place.name());
    }
}
