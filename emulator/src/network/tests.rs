//! The link model under fixed seeds: its statistics, its bursts, its order, and that equal seeds give equal runs.

use super::*;

fn frame(k: u64) -> Time {
    Time::of_frame(k, 60.0)
}

fn message(id: u64, size: usize, reliable: bool) -> Outgoing<u64> {
    Outgoing { id, size, reliable, payload: id, lose: 0, hold: Time::ZERO, copies: 0 }
}

fn link(settings: LinkSettings) -> Link<u64> {
    Link::new(settings, Seed(42), "A", Time::ZERO)
}

/// What a run of frames delivered: the frame and the id of each message.
fn run(
    link: &mut Link<u64>,
    frames: std::ops::Range<u64>,
    mut send: impl FnMut(u64) -> Vec<Outgoing<u64>>,
) -> Vec<(u64, u64)> {
    let mut heard = Vec::new();
    for k in frames {
        for arrival in link.receive(Way::Down, frame(k)) {
            heard.push((k, arrival.id));
        }
        link.send(Way::Down, frame(k), send(k));
    }
    heard
}

#[test]
fn a_perfect_link_is_handled_in_the_next_receive_phase() {
    let mut link = link(LinkSettings::default());
    link.send(Way::Down, frame(1), vec![message(1, 10, true), message(2, 10, false), message(3, 10, true)]);
    // The same tick is late enough: the client's frame follows the server's.
    let ids: Vec<u64> = link.receive(Way::Down, frame(1)).iter().map(|arrival| arrival.id).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(link.in_flight(), 0);
}

#[test]
fn a_delay_off_the_grid_is_handled_in_the_frame_after_it() {
    let mut link = link(LinkSettings { delay: Time::from_millis(140), ..LinkSettings::default() });
    let heard = run(&mut link, 1..30, |k| {
        if k == 1 { vec![message(7, 10, false), message(8, 10, true)] } else { vec![] }
    });
    assert_eq!(heard, [(10, 7), (10, 8)]);
}

#[test]
fn a_lost_reliable_packet_holds_back_what_follows_and_all_arrive_in_one_frame() {
    let mut link = link(LinkSettings { delay: Time::from_millis(40), ..LinkSettings::default() });
    let heard = run(&mut link, 1..40, |k| match k {
        1 => vec![Outgoing { lose: 1, ..message(1, 10, true) }, message(100, 10, false)],
        2..=5 => vec![message(k, 10, true)],
        _ => vec![],
    });
    // Resent after 0.2 s: 240 ms, fifteen frames. The unreliable message does not wait.
    assert_eq!(heard, [(4, 100), (16, 1), (16, 2), (16, 3), (16, 4), (16, 5)]);
    assert_eq!(link.direction(Way::Down).stats().resends, 1);
}

#[test]
fn the_resend_time_is_twice_the_round_trip_past_a_hundred_milliseconds() {
    let link = link(LinkSettings { delay: Time::from_millis(80), ..LinkSettings::default() });
    assert_eq!(link.rto(Way::Down), Time::from_millis(320));
    assert_eq!(link.round_trip(), Time::from_millis(160));
}

#[test]
fn twenty_percent_loss_keeps_reliable_whole_and_ordered() {
    let play = |seed: u64| {
        let settings = LinkSettings { delay: Time::from_millis(30), loss: 0.2, ..LinkSettings::default() };
        let mut link: Link<u64> = Link::new(settings, Seed(seed), "A", Time::ZERO);
        run(&mut link, 1..1400, |k| {
            if k <= 1000 { vec![message(k, 40, true), message(10_000 + k, 40, false)] } else { vec![] }
        })
    };
    let heard = play(42);
    let reliable: Vec<u64> = heard.iter().map(|(_, id)| *id).filter(|id| *id < 10_000).collect();
    assert_eq!(reliable, (1..=1000).collect::<Vec<_>>());
    let unreliable = heard.len() - reliable.len();
    assert!((750..=850).contains(&unreliable), "{unreliable}");
    let most = (1..1400).map(|k| heard.iter().filter(|(at, id)| *at == k && *id < 10_000).count()).max();
    assert!(most >= Some(10), "a burst of {most:?}");
    assert_eq!(heard, play(42));
    assert_ne!(heard, play(43));
}

#[test]
fn jitter_reorders_unreliable_messages_only_and_has_the_mean_of_its_distribution() {
    for distribution in [Distribution::Uniform, Distribution::Normal, Distribution::Pareto] {
        let settings = LinkSettings {
            delay: Time::from_millis(60),
            jitter: Time::from_millis(50),
            distribution: distribution.clone(),
            max_delay_step: Time::ZERO,
            ..LinkSettings::default()
        };
        let mut link = link(settings);
        for k in 1..=4000 {
            link.send(Way::Down, frame(k), vec![message(2 * k, 10, true), message(2 * k + 1, 10, false)]);
        }
        let arrivals = link.receive(Way::Down, frame(10_000));
        let late: Vec<f64> = arrivals
            .iter()
            .filter(|arrival| !arrival.reliable)
            .map(|arrival| (arrival.arrived_at - arrival.sent_at).seconds())
            .collect();
        assert_eq!(late.len(), 4000);
        let mean = late.iter().sum::<f64>() / 4000.0;
        assert!((mean - 0.085).abs() < 0.004, "{distribution:?}: {mean}");
        assert!(late.iter().all(|late| *late >= 0.06));
        let ids = |reliable: bool| -> Vec<u64> {
            arrivals.iter().filter(|arrival| arrival.reliable == reliable).map(|arrival| arrival.id).collect()
        };
        assert!(ids(true).is_sorted());
        assert!(!ids(false).is_sorted());
    }
}

#[test]
fn a_list_of_delays_is_replayed_in_order() {
    let delays = [0.01, 0.05, 0.0].map(Time::from_seconds);
    let mut link =
        link(LinkSettings { distribution: Distribution::List(delays.into()), ..LinkSettings::default() });
    for id in 0..4 {
        link.send(Way::Up, Time::ZERO, vec![message(id, 10, false)]);
    }
    let late: Vec<(u64, Time)> =
        link.receive(Way::Up, frame(60)).iter().map(|arrival| (arrival.id, arrival.arrived_at)).collect();
    assert_eq!(late, [(2, delays[2]), (0, delays[0]), (3, delays[0]), (1, delays[1])]);
}

#[test]
fn bursts_of_the_two_state_model_are_longer_than_chance() {
    let pattern = |loss_model: LossModel| {
        let mut link = link(LinkSettings { loss: 0.05, loss_model, ..LinkSettings::default() });
        let lost: Vec<bool> = (0..20_000)
            .map(|k| !link.send(Way::Down, frame(k), vec![message(k, 10, false)]).is_empty())
            .collect();
        let total = lost.iter().filter(|lost| **lost).count();
        let pairs = lost.windows(2).filter(|pair| pair[0] && pair[1]).count();
        (total, pairs)
    };
    let (independent, single) = pattern(LossModel::Independent);
    let (bursty, paired) = pattern(LossModel::Bursty);
    assert!((900..1100).contains(&independent), "{independent}");
    assert!((850..1150).contains(&bursty), "{bursty}");
    assert!(paired > 4 * single, "{paired} pairs against {single}");
}

#[test]
fn reorder_alone_swaps_neighbours_and_duplicate_doubles() {
    let settings = LinkSettings {
        delay: Time::from_millis(50),
        reorder: 0.3,
        duplicate: 0.1,
        ..LinkSettings::default()
    };
    let mut link = link(settings);
    let batch = (0..1000).map(|id| message(id, 10, false)).collect();
    link.send(Way::Down, Time::ZERO, batch);
    let ids: Vec<u64> = link.receive(Way::Down, frame(60)).iter().map(|arrival| arrival.id).collect();
    assert!((1070..1130).contains(&ids.len()), "{}", ids.len());
    let backward = ids.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!((200..400).contains(&backward), "{backward}");
}

#[test]
fn bandwidth_serialises_and_a_full_queue_drops_the_unreliable_tail() {
    let settings =
        LinkSettings { bandwidth: Some(10_000.0), queue_bytes: Some(1000), ..LinkSettings::default() };
    let mut link = link(settings);
    let batch = (0..6).map(|id| message(id, 400, false)).chain([message(9, 400, true)]).collect();
    let dropped = link.send(Way::Down, Time::ZERO, batch);
    assert_eq!(
        dropped,
        [(2, Loss::QueueFull), (3, Loss::QueueFull), (4, Loss::QueueFull), (5, Loss::QueueFull)]
    );
    let arrived: Vec<(u64, Time)> =
        link.receive(Way::Down, frame(60)).iter().map(|arrival| (arrival.id, arrival.arrived_at)).collect();
    assert_eq!(
        arrived,
        [(0, Time::from_millis(40)), (1, Time::from_millis(80)), (9, Time::from_millis(120))]
    );
}

#[test]
fn large_reliable_messages_need_all_their_packets() {
    let mut link = link(LinkSettings::default());
    link.send(
        Way::Down,
        Time::ZERO,
        vec![message(1, 5000, true), message(2, 100, true), message(3, 100, true)],
    );
    // Four full packets, then the rest of the large one shares the fifth.
    assert_eq!(link.direction(Way::Down).stats().packets, 5);
    assert_eq!(link.receive(Way::Down, Time::ZERO).len(), 3);
}

#[test]
fn a_cut_loses_and_delays_and_heals() {
    let mut link = link(LinkSettings::default());
    link.cut(frame(1), Time::from_seconds(1.0));
    let heard = run(&mut link, 1..120, |k| match k {
        1 => vec![message(1, 10, true), message(2, 10, false)],
        70 => vec![message(3, 10, true)],
        _ => vec![],
    });
    // Attempts at 0, 0.2, ... 1.0 s after frame 1; the one at 1.0 s is past the cut.
    assert_eq!(heard, [(61, 1), (71, 3)]);
    link.cut(frame(120), Time::NEVER);
    let heard = run(&mut link, 120..400, |k| if k == 120 { vec![message(4, 10, true)] } else { vec![] });
    assert_eq!(heard, []);
    assert_eq!(link.in_flight(), 1);
    link.mend();
    assert_eq!(run(&mut link, 400..430, |_| vec![]).len(), 1);
}

#[test]
fn flaps_and_bursts_are_windows() {
    let mut link = link(LinkSettings::default());
    link.flap(frame(10), Time::from_seconds(0.1), Time::from_seconds(0.1), 2);
    link.burst(frame(60), 1.0, Time::from_seconds(0.1));
    let lost: Vec<u64> = (0..90)
        .filter(|k| !link.send(Way::Down, frame(*k), vec![message(*k, 1, false)]).is_empty())
        .collect();
    let expected: Vec<u64> = (10..16).chain(22..28).chain(60..66).collect();
    assert_eq!(lost, expected);
}

#[test]
fn probes_measure_and_hear() {
    let mut link = link(LinkSettings { delay: Time::from_millis(50), ..LinkSettings::default() });
    link.set(Way::Up, LinkSettings { delay: Time::from_millis(200), ..LinkSettings::default() });
    let probe = link.probe(frame(60)).expect("nothing is lost");
    assert_eq!((probe.up, probe.down), (Time::from_millis(200), Time::from_millis(50)));
    assert_eq!(probe.answered_at, frame(60) + Time::from_millis(250));
    assert_eq!(link.round_trip(), Time::from_millis(250));
    assert_eq!(link.heard_at(), probe.answered_at);
    link.cut(frame(70), Time::NEVER);
    assert_eq!(link.probe(frame(120)), None);
}

#[test]
fn closing_gives_back_what_was_in_flight() {
    let mut link = link(LinkSettings { delay: Time::from_millis(50), ..LinkSettings::default() });
    link.send(Way::Down, Time::ZERO, vec![message(1, 10, true), message(2, 10, false), message(3, 10, true)]);
    link.send(Way::Up, Time::ZERO, vec![message(4, 10, true)]);
    assert_eq!(link.close(), (vec![4], vec![1, 2, 3]));
    assert_eq!(link.in_flight(), 0);
    assert_eq!(link.send(Way::Down, Time::ZERO, vec![message(5, 10, true)]), [(5, Loss::Lost)]);
}
