//! Build profiles, and which statements a build leaves out. Source: language specification, 6.

/// The profile of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// `dev`
    Dev,
    /// `debug`
    Debug,
    /// `test`
    Test,
    /// `release`, the safe default: forgetting the flag leaves debug remotes out.
    #[default]
    Release,
}

impl Profile {
    /// Every profile, in the order they are listed in.
    pub const ALL: [Profile; 4] = [Profile::Dev, Profile::Debug, Profile::Test, Profile::Release];

    /// Its name.
    pub fn text(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Debug => "debug",
            Profile::Test => "test",
            Profile::Release => "release",
        }
    }

    /// The profile of that name.
    pub fn from_text(text: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.text() == text)
    }
}
