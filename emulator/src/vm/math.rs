//! The mathematics of the C library, from one implementation on every machine: the VM, the compiler's folding of
//! constants and the datatypes all end up here, so that traces agree between systems to the last bit.
//!
//! The symbols stand in for those of the system's library where the linker allows it, which is everywhere but on
//! Windows. Square roots, remainders and rounding are exact everywhere and stay the system's.

/// Functions of one number and of two, each under its C name.
macro_rules! symbols {
    ($($name:ident($($argument:ident),+)),+ $(,)?) => {
        $(
            /// The C library's function of this name.
            #[cfg(not(windows))]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: f64),+) -> f64 {
                libm::$name($($argument),+)
            }
        )+

        /// Keeps the linker from leaving them out, for only C code asks for them.
        pub(super) fn keep() {
            #[cfg(not(windows))]
            {
                $( std::hint::black_box($name as *const ()); )+
            }
        }
    };
}

symbols! {
    sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), atan2(y, x), sinh(x), cosh(x), tanh(x),
    exp(x), exp2(x), log(x), log2(x), log10(x), pow(x, y),
}

#[cfg(test)]
#[cfg(not(windows))]
mod tests {
    use crate::shared::Random;
    use crate::value::Value;
    use crate::vm::{Vm, VmOptions, compile};

    /// What the VM gives for `source`, called with two numbers.
    fn ask(vm: &Vm, source: &str, x: f64, y: f64) -> f64 {
        let code = compile(source, "Test").unwrap();
        let main = vm.load(&code, "Test", &[]).unwrap();
        match vm.call(&main, &[x.into(), y.into()]).unwrap().first() {
            Some(Value::Number(number)) => *number,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scripts_and_datatypes_calculate_with_the_bundled_library() {
        let vm = Vm::new(VmOptions::default()).unwrap();
        vm.seal(&[]).unwrap();
        type Function = fn(f64, f64) -> f64;
        let functions: [(&str, Function); 16] = [
            ("math.sin(x)", |x, _| libm::sin(x)),
            ("math.cos(x)", |x, _| libm::cos(x)),
            ("math.tan(x)", |x, _| libm::tan(x)),
            ("math.asin(x / 40)", |x, _| libm::asin(x / 40.0)),
            ("math.acos(x / 40)", |x, _| libm::acos(x / 40.0)),
            ("math.atan(x)", |x, _| libm::atan(x)),
            ("math.atan2(x, y)", libm::atan2),
            ("math.sinh(x)", |x, _| libm::sinh(x)),
            ("math.cosh(x)", |x, _| libm::cosh(x)),
            ("math.tanh(x)", |x, _| libm::tanh(x)),
            ("math.exp(x)", |x, _| libm::exp(x)),
            ("math.log(y)", |_, y| libm::log(y)),
            ("math.log(y, 2)", |_, y| libm::log2(y)),
            ("math.log10(y)", |_, y| libm::log10(y)),
            ("math.pow(y, x)", |x, y| libm::pow(y, x)),
            ("y ^ x", |x, y| libm::pow(y, x)),
        ];
        let mut random = Random::from_seed(1);
        for (expression, function) in functions {
            let source = format!("local x, y = ... return {expression}");
            for _ in 0..40 {
                let (x, y) = (random.unit() * 80.0 - 40.0, random.unit() * 9.0 + 0.1);
                let (found, wanted) = (ask(&vm, &source, x, y), function(x, y));
                assert_eq!(found.to_bits(), wanted.to_bits(), "{expression} for {x}, {y}");
            }
        }
        let x = random.unit();
        assert_eq!(x.sin().to_bits(), libm::sin(x).to_bits());
        assert_eq!(std::hint::black_box(x).powf(1.7).to_bits(), libm::pow(x, 1.7).to_bits());
    }
}
