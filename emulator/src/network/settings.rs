//! What a link does to traffic: the parameters of one direction, the named presets, and both read from text.
//!
//! Source: emulator requirements, 7. Delays are one way.

use std::sync::Arc;

use crate::clock::Time;

/// Longest time of a link, in seconds: what is longer was meant as milliseconds.
const LONGEST_DELAY: f64 = 60.0;

/// How the extra delay of a packet is drawn from `jitter`. All of them average half of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// Anything from nothing to `jitter`, equally likely.
    #[default]
    Uniform,
    /// A bell around half of `jitter` with a quarter of it as its deviation, never below nothing.
    Normal,
    /// Mostly little, now and then up to twenty times `jitter`.
    Pareto,
    /// These extra delays in turn, again from the start after the last. `jitter` is not used.
    List(Arc<[Time]>),
}

/// Which packets are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LossModel {
    /// Each with probability `loss`, whatever became of the one before.
    #[default]
    Independent,
    /// Bursts of four packets on average, half of them lost, as many as `loss` asks for.
    Bursty,
    /// Bursts of one's own: a two-state chain that is stepped once a packet. `loss` is not used.
    Gilbert {
        /// Probability of turning bad.
        p: f64,
        /// Probability of turning good again.
        r: f64,
        /// Loss while good.
        loss_good: f64,
        /// Loss while bad.
        loss_bad: f64,
    },
}

/// Average length of a burst of [`LossModel::Bursty`] is four packets: it ends with this probability a packet.
const BURST_END: f64 = 0.25;
/// Loss inside such a burst.
const BURST_LOSS: f64 = 0.5;

impl LossModel {
    /// The two-state chain of a bursty link that loses `loss` of all packets in the long run: p, r, lossGood, lossBad.
    pub fn bursts(loss: f64) -> [f64; 4] {
        let bad = (loss / BURST_LOSS).min(0.9);
        // What bursts alone cannot lose is lost between them too.
        let good = ((loss - bad * BURST_LOSS) / (1.0 - bad)).max(0.0);
        [BURST_END * bad / (1.0 - bad), BURST_END, good, BURST_LOSS]
    }
}

/// The parameters of one direction of a link. The default is a perfect one.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// Least delay.
    pub delay: Time,
    /// Extra delay, drawn for each packet.
    pub jitter: Time,
    /// How it is drawn.
    pub distribution: Distribution,
    /// Probability that a packet is lost, 0 to 1.
    pub loss: f64,
    /// Which ones.
    pub loss_model: LossModel,
    /// Probability that an unreliable packet overtakes the one before it.
    pub reorder: f64,
    /// Probability that an unreliable packet arrives twice.
    pub duplicate: f64,
    /// Bytes a second; `None` for no limit.
    pub bandwidth: Option<f64>,
    /// Bytes that may wait for the bandwidth before unreliable messages are dropped; `None` for no limit. Reliable
    /// messages wait instead.
    pub queue_bytes: Option<u64>,
    /// Most bytes of one packet of reliable traffic.
    pub mtu: usize,
    /// Resend time of lost reliable packets; `None` for twice the round trip, and at least 0.2 s.
    pub rto: Option<Time>,
    /// Delays are rounded to this.
    pub max_delay_step: Time,
}

impl Default for LinkSettings {
    fn default() -> LinkSettings {
        LinkSettings {
            delay: Time::ZERO,
            jitter: Time::ZERO,
            distribution: Distribution::Uniform,
            loss: 0.0,
            loss_model: LossModel::Independent,
            reorder: 0.0,
            duplicate: 0.0,
            bandwidth: None,
            queue_bytes: None,
            mtu: 1200,
            rto: None,
            max_delay_step: Time::from_millis(1),
        }
    }
}

/// The names of the presets, as help texts list them.
pub const PRESETS: &[&str] =
    &["perfect", "studio", "lan", "fibre", "wifi", "typical", "mobile", "poor", "satellite", "hostile"];

/// A value for [`LinkSettings::set`].
#[derive(Clone, Debug, PartialEq)]
pub enum LinkValue {
    /// A number: seconds, a probability, bytes or bytes a second, as the parameter has it.
    Number(f64),
    /// A name, or a number with a unit: `"80ms"`, `"5%"`, `"pareto"`.
    Text(String),
    /// Delays in seconds, for `dist`.
    List(Vec<f64>),
    /// A burst model, for `lossModel`: p, r, lossGood, lossBad.
    Gilbert([f64; 4]),
}

impl LinkSettings {
    /// The preset called `name`, for one direction; `None` for an unknown name.
    pub fn preset(name: &str) -> Option<LinkSettings> {
        let of = |delay_ms: i64, jitter_us: i64, loss: f64| LinkSettings {
            delay: Time::from_millis(delay_ms),
            jitter: Time::from_seconds(jitter_us as f64 / 1e6),
            loss,
            ..LinkSettings::default()
        };
        let bursty = |settings: LinkSettings| LinkSettings { loss_model: LossModel::Bursty, ..settings };
        Some(match name {
            "perfect" => LinkSettings::default(),
            // Delays in whole frames, as the network simulation of Studio shows them.
            "studio" => LinkSettings { max_delay_step: Time::of_frame(1, 60.0), ..LinkSettings::default() },
            "lan" => of(1, 200, 0.0),
            "fibre" => of(15, 2_000, 0.001),
            "wifi" => of(30, 10_000, 0.005),
            "typical" => of(60, 15_000, 0.005),
            "mobile" => bursty(of(90, 40_000, 0.02)),
            "poor" => bursty(of(200, 100_000, 0.05)),
            "satellite" => of(300, 20_000, 0.01),
            "hostile" => LinkSettings { reorder: 0.1, ..of(150, 150_000, 0.2) },
            _ => return None,
        })
    }

    /// Sets the parameter called `key`, the name the requirements give it.
    ///
    /// Errors: a text for people, for an unknown parameter or a value that does not fit it.
    pub fn set(&mut self, key: &str, value: &LinkValue) -> Result<(), String> {
        let seconds = || {
            let time = time_of(value).map_err(|wanted| format!("link {key}: {wanted}"))?;
            if time.seconds() > LONGEST_DELAY {
                let (given, meant) = (time.seconds(), time.seconds() / 1000.0);
                return Err(format!(
                    "link {key}: {given} seconds is more than {LONGEST_DELAY}; write \"{given}ms\" or {meant} for milliseconds"
                ));
            }
            Ok(time)
        };
        let share = || share_of(value).map_err(|wanted| format!("link {key}: {wanted}"));
        match key {
            "delay" => self.delay = seconds()?,
            "jitter" => self.jitter = seconds()?,
            "maxDelayStep" => self.max_delay_step = seconds()?,
            "rto" => self.rto = Some(seconds()?),
            "loss" => self.loss = share()?,
            "reorder" => self.reorder = share()?,
            "duplicate" => self.duplicate = share()?,
            "bandwidth" => {
                self.bandwidth = size_of(value).map_err(|wanted| format!("link bandwidth: {wanted}"))?
            }
            "queueBytes" => {
                let size = size_of(value).map_err(|wanted| format!("link queueBytes: {wanted}"))?;
                self.queue_bytes = size.map(|size| size as u64);
            }
            "mtu" => match size_of(value) {
                Ok(Some(size)) if size >= 1.0 => self.mtu = size as usize,
                _ => return Err("link mtu: a number of bytes, 1 or more".into()),
            },
            "dist" => self.distribution = distribution_of(value)?,
            "lossModel" => {
                self.loss_model = match value {
                    LinkValue::Text(name) if name == "independent" => LossModel::Independent,
                    LinkValue::Text(name) if name == "bursty" => LossModel::Bursty,
                    LinkValue::Gilbert([p, r, loss_good, loss_bad]) => {
                        if ![*p, *r, *loss_good, *loss_bad].iter().all(|share| (0.0..=1.0).contains(share)) {
                            return Err(
                                "link lossModel: p, r, lossGood and lossBad lie between 0 and 1".into()
                            );
                        }
                        LossModel::Gilbert { p: *p, r: *r, loss_good: *loss_good, loss_bad: *loss_bad }
                    }
                    _ => {
                        return Err(
                            "link lossModel: \"independent\", \"bursty\" or gilbert{p, r, lossGood, lossBad}"
                                .into(),
                        );
                    }
                }
            }
            _ => {
                return Err(format!(
                    "a link has no parameter {key}; it has delay, jitter, dist, loss, lossModel, reorder, duplicate, \
                     bandwidth, queueBytes, mtu, rto and maxDelayStep"
                ));
            }
        }
        Ok(())
    }

    /// What an average packet is delayed by, without waiting for bandwidth.
    pub fn typical_delay(&self) -> Time {
        let extra = match &self.distribution {
            Distribution::List(delays) if delays.is_empty() => Time::ZERO,
            Distribution::List(delays) => {
                let sum = delays.iter().fold(Time::ZERO, |sum, delay| sum + *delay);
                sum.scaled(1.0 / delays.len() as f64)
            }
            Distribution::Uniform | Distribution::Normal | Distribution::Pareto => self.jitter.half(),
        };
        (self.delay + extra).rounded_to(self.max_delay_step)
    }
}

fn distribution_of(value: &LinkValue) -> Result<Distribution, String> {
    let wanted =
        || "link dist: \"uniform\", \"normal\", \"pareto\" or a list of delays in seconds".to_string();
    match value {
        LinkValue::Text(name) => match name.as_str() {
            "uniform" => Ok(Distribution::Uniform),
            "normal" => Ok(Distribution::Normal),
            "pareto" => Ok(Distribution::Pareto),
            _ => Err(wanted()),
        },
        LinkValue::List(delays) if delays.iter().all(|delay| *delay >= 0.0) => {
            Ok(Distribution::List(delays.iter().map(|delay| Time::from_seconds(*delay)).collect()))
        }
        LinkValue::List(_) | LinkValue::Number(_) | LinkValue::Gilbert(_) => Err(wanted()),
    }
}

fn time_of(value: &LinkValue) -> Result<Time, String> {
    let wanted = "a length of time, 0 or more: seconds, or a text such as \"80ms\"";
    let seconds = match value {
        LinkValue::Number(seconds) => *seconds,
        LinkValue::Text(text) => {
            let (digits, scale) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
                (Some(digits), _) => (digits, 1e-3),
                (None, Some(digits)) => (digits, 1.0),
                (None, None) => (text.as_str(), 1.0),
            };
            digits.trim().parse::<f64>().map_err(|_| wanted.to_string())? * scale
        }
        LinkValue::List(_) | LinkValue::Gilbert(_) => return Err(wanted.into()),
    };
    if seconds >= 0.0 { Ok(Time::from_seconds(seconds)) } else { Err(wanted.into()) }
}

fn share_of(value: &LinkValue) -> Result<f64, String> {
    let wanted = "a probability from 0 to 1, or a text such as \"5%\"";
    let share = match value {
        LinkValue::Number(share) => *share,
        LinkValue::Text(text) => match text.strip_suffix('%') {
            Some(digits) => digits.trim().parse::<f64>().map_err(|_| wanted.to_string())? / 100.0,
            None => text.trim().parse::<f64>().map_err(|_| wanted.to_string())?,
        },
        LinkValue::List(_) | LinkValue::Gilbert(_) => return Err(wanted.into()),
    };
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err(wanted.into()) }
}

fn size_of(value: &LinkValue) -> Result<Option<f64>, String> {
    let wanted = "a number of bytes above 0, or \"unlimited\"";
    let size = match value {
        LinkValue::Text(text) if text == "unlimited" => return Ok(None),
        LinkValue::Number(size) => *size,
        LinkValue::Text(text) => text.trim().parse::<f64>().map_err(|_| wanted.to_string())?,
        LinkValue::List(_) | LinkValue::Gilbert(_) => return Err(wanted.into()),
    };
    if size.is_infinite() && size > 0.0 {
        return Ok(None);
    }
    if size > 0.0 { Ok(Some(size)) } else { Err(wanted.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_those_of_the_requirements() {
        for name in PRESETS {
            assert!(LinkSettings::preset(name).is_some(), "{name}");
        }
        assert!(LinkSettings::preset("dial-up").is_none());
        let typical = LinkSettings::preset("typical").expect("known");
        assert_eq!(
            (typical.delay, typical.jitter, typical.loss),
            (Time::from_millis(60), Time::from_millis(15), 0.005)
        );
        let poor = LinkSettings::preset("poor").expect("known");
        assert_eq!((poor.loss, poor.loss_model), (0.05, LossModel::Bursty));
        for loss in [0.0, 0.02, 0.05, 0.3, 0.7] {
            let [p, r, good, bad] = LossModel::bursts(loss);
            let share = p / (p + r);
            assert!((share * bad + (1.0 - share) * good - loss).abs() < 1e-12, "{loss}");
        }
    }

    #[test]
    fn parameters_are_read_with_units() {
        let mut link = LinkSettings::default();
        let text = |text: &str| LinkValue::Text(text.into());
        link.set("delay", &text("80ms")).expect("fits");
        link.set("jitter", &LinkValue::Number(0.02)).expect("fits");
        link.set("loss", &text("5%")).expect("fits");
        link.set("bandwidth", &LinkValue::Number(f64::INFINITY)).expect("fits");
        link.set("dist", &LinkValue::List(vec![0.01, 0.03])).expect("fits");
        assert_eq!(
            (link.delay, link.jitter, link.loss),
            (Time::from_millis(80), Time::from_millis(20), 0.05)
        );
        assert_eq!(link.bandwidth, None);
        assert_eq!(link.typical_delay(), Time::from_millis(100));
        for (key, value) in [
            ("loss", text("2")),
            ("delay", LinkValue::Number(80.0)),
            ("jitter", text("61s")),
            ("delay", LinkValue::Number(-1.0)),
            ("mtu", LinkValue::Number(0.0)),
        ] {
            assert!(link.set(key, &value).is_err(), "{key}");
        }
        assert!(link.set("speed", &text("1")).expect_err("unknown").contains("no parameter speed"));
    }
}
