//! Values as the codec sees them: what a Luau script would hold, without a VM.

/// A Luau value. Numbers a Roblox datatype keeps in single precision are `f32` here too.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `nil`; an absent optional, a missing field, an empty slot.
    #[default]
    Nil,
    /// `boolean`
    Boolean(bool),
    /// `number`
    Number(f64),
    /// `string`; bytes, not always text. A unit enum's value is one too.
    String(Vec<u8>),
    /// `buffer`
    Buffer(Vec<u8>),
    /// `Vector3`: X, Y, Z
    Vector([f32; 3]),
    /// `CFrame`: position X, Y, Z, then the rotation matrix row by row, as `GetComponents` gives them.
    CFrame([f32; 12]),
    /// `Color3`: R, G, B
    Color3([f32; 3]),
    /// `BrickColor`, its `Number`
    BrickColor(u16),
    /// `DateTime`: milliseconds since 1970
    DateTime(f64),
    /// `Vector2`: X, Y
    Vector2([f32; 2]),
    /// `UDim`
    UDim(UDim),
    /// `UDim2`: X, Y
    UDim2(UDim, UDim),
    /// `NumberRange`: `Min`, `Max`
    NumberRange(f32, f32),
    /// `TweenInfo`
    TweenInfo(TweenInfo),
    /// `ColorSequence`: its keypoints
    ColorSequence(Vec<Keypoint>),
    /// An item of a Roblox enum
    EnumItem {
        /// Name of the enum.
        enum_name: String,
        /// The item's `Value`.
        value: f64,
    },
    /// An Instance: whatever number tells it apart, and its class.
    Instance {
        /// Identity.
        id: u64,
        /// Name of its class.
        class: String,
    },
    /// A table used as an array; `Nil` elements are holes that keep their place.
    Array(Vec<Value>),
    /// A table used as a map, in the order of the wire.
    Map(Vec<(Value, Value)>),
    /// A table with named fields: structs, sets, tagged enums (the tag is a field), and the parameters of a payload.
    Struct(Vec<(String, Value)>),
}

/// `UDim`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UDim {
    /// `Scale`
    pub scale: f32,
    /// `Offset`, in pixels
    pub offset: i32,
}

/// `TweenInfo`; times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TweenInfo {
    /// `Time`
    pub time: f32,
    /// `EasingStyle.Value`
    pub style: u8,
    /// `EasingDirection.Value`
    pub direction: u8,
    /// `RepeatCount`
    pub repeats: i32,
    /// `Reverses`
    pub reverses: bool,
    /// `DelayTime`
    pub delay: f32,
}

/// `ColorSequenceKeypoint`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keypoint {
    /// `Time`, 0 to 1
    pub time: f32,
    /// `Value`: R, G, B
    pub color: [f32; 3],
}

impl Value {
    /// A string of that text.
    pub fn text(text: &str) -> Value {
        Value::String(text.as_bytes().to_vec())
    }

    /// A table with those fields.
    pub fn table<const N: usize>(fields: [(&str, Value); N]) -> Value {
        Value::Struct(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The field of that name; `Nil` where there is none or this is no table with fields.
    pub fn field(&self, name: &str) -> &Value {
        const NIL: &Value = &Value::Nil;
        match self {
            Value::Struct(fields) => {
                fields.iter().find(|(own, _)| own == name).map_or(NIL, |(_, value)| value)
            }
            _ => NIL,
        }
    }

    /// What `typeof` calls it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nil => "nil",
            Value::Boolean(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Buffer(_) => "buffer",
            Value::Vector(_) => "Vector3",
            Value::CFrame(_) => "CFrame",
            Value::Color3(_) => "Color3",
            Value::BrickColor(_) => "BrickColor",
            Value::DateTime(_) => "DateTime",
            Value::Vector2(_) => "Vector2",
            Value::UDim(_) => "UDim",
            Value::UDim2(..) => "UDim2",
            Value::NumberRange(..) => "NumberRange",
            Value::TweenInfo(_) => "TweenInfo",
            Value::ColorSequence(_) => "ColorSequence",
            Value::EnumItem { .. } => "EnumItem",
            Value::Instance { .. } => "Instance",
            Value::Array(_) | Value::Map(_) | Value::Struct(_) => "table",
        }
    }

    /// Whether Luau would refuse it as a key for being, or holding, NaN.
    pub(crate) fn is_nan_key(&self) -> bool {
        match self {
            Value::Number(number) => number.is_nan(),
            Value::Vector(vector) => vector.iter().any(|component| component.is_nan()),
            _ => false,
        }
    }

    /// Whether two keys are one to a table. What lives on the heap is only ever itself.
    pub(crate) fn same_key(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Boolean(_), Value::Boolean(_))
            | (Value::Number(_), Value::Number(_))
            | (Value::String(_), Value::String(_))
            | (Value::Vector(_), Value::Vector(_))
            | (Value::EnumItem { .. }, Value::EnumItem { .. }) => self == other,
            (Value::Instance { id, .. }, Value::Instance { id: other, .. }) => id == other,
            _ => false,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl From<bool> for Value {
    fn from(boolean: bool) -> Value {
        Value::Boolean(boolean)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Value {
        Value::Array(elements)
    }
}
