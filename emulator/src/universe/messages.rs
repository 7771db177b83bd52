//! Messages between servers: by topic, to whoever listens when they arrive.

use super::Cloud;
use super::cloud::MINUTE;
use crate::clock::Time;

/// Most bytes of a message, as JSON.
pub const LONGEST_MESSAGE: usize = 1024;
/// Most characters of a topic.
pub const LONGEST_TOPIC: usize = 80;

impl Cloud {
    /// Counts a message that a server publishes. False if it has none left: 150 and 60 a player each minute.
    pub fn may_publish(&self, server: u32, topic: &str, now: Time) -> bool {
        let limit = 150 + 60 * self.users_of(server);
        let mut published = self.published.borrow_mut();
        while published.front().is_some_and(|(at, ..)| *at + MINUTE <= now) {
            published.pop_front();
        }
        if published.iter().filter(|(_, by, _)| *by == server).count() >= limit {
            return false;
        }
        published.push_back((now, server, topic.to_owned()));
        true
    }

    /// Whether the newest message about a topic is delivered: 10 and 20 a server each minute are.
    pub fn may_deliver(&self, topic: &str) -> bool {
        let published = self.published.borrow();
        let about = published.iter().filter(|(.., known)| known == topic).count();
        about <= 10 + 20 * self.open_servers().len()
    }

    /// How many topics a server may listen to: 5 and 2 a player. Source: class MessagingService.
    pub fn most_subscriptions(&self, server: u32) -> usize {
        5 + 2 * self.users_of(server)
    }
}
