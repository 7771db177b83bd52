//! Members, properties and their events. Source: Roblox behaviour, 7.2 and 7.4.

use super::{both, deferred, immediate};

#[test]
fn unknown_members_are_errors() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        print(pcall(function() return part.Foo end))
        print(pcall(function() part.Foo = 1 end))
        print(pcall(function() return part:Foo() end))
        print(pcall(function() return game.Nope end))
        local loose = Instance.new("Folder")
        loose.Name = "Loose"
        print(pcall(function() return loose.Child end))
        local child = Instance.new("Folder", part)
        child.Name = "Anchored"
        print(part.Anchored)
        child.Name = "Inside"
        print(part.Inside == child)
        print(pcall(function() part.Inside = 1 end))
        "##,
        r##"
        false Foo is not a valid member of Part "Workspace.Part"
        false Foo is not a valid member of Part "Workspace.Part"
        false Foo is not a valid member of Part "Workspace.Part"
        false Nope is not a valid member of DataModel "Game"
        false Child is not a valid member of Folder "Loose"
        false
        true
        false Inside is not a valid member of Part "Workspace.Part"
        "##,
    );
}

#[test]
fn values_have_types() {
    both(
        r##"
        local part = Instance.new("Part")
        local function try(f) print((select(2, pcall(f)))) end
        try(function() part.Anchored = 1 end)
        try(function() part.Transparency = "much" end)
        try(function() part.Name = nil end)
        try(function() part.ClassName = "Model" end)
        try(function() part.GetChildren = 1 end)
        try(function() part.Material = "Cheese" end)
        try(function() part.Material = true end)
        try(function() part.Size = 3 end)
        try(function() Instance.new("ObjectValue").Value = 1 end)
        part.Transparency = "0.5"
        part.Name = 12
        part.Material = "Grass"
        print(part.Transparency, part.Name, part.Material, part.Material == Enum.Material.Grass)
        part.Material = Enum.Material.Sand
        print(part.Material.Name, part.Size.X, part.Reflectance)
        print(pcall(function() part.Material = Enum.NormalId.Top end))
        part.Material = 1280
        print(part.Material, part.CFrame, part.CustomPhysicalProperties)
        part.Name = string.rep("x", 150)
        print(#part.Name)
        "##,
        r##"
        Unable to assign property Anchored. bool expected, got number
        Unable to assign property Transparency. number expected, got string
        Unable to assign property Name. string expected, got nil
        Unable to assign property ClassName. Property is read only
        Unable to assign property GetChildren. Property is read only
        Unable to assign property Material. Invalid value "Cheese" for enum Material
        Unable to assign property Material. EnumItem expected, got boolean
        Unable to assign property Size. Vector3 expected, got number
        Unable to assign property Value. Instance expected, got number
        0.5 12 Enum.Material.Grass true
        Sand 4 0
        false Unable to assign property Material. Invalid value "Enum.NormalId.Top" for enum Material
        Enum.Material.Grass 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 nil
        100
        "##,
    );
}

const CHANGES: &str = r##"
    local part = Instance.new("Part")
    part.Changed:Connect(function(name) print("Changed", name) end)
    part:GetPropertyChangedSignal("Transparency"):Connect(function(...) print("Transparency", select("#", ...)) end)
    print(part:GetPropertyChangedSignal("Name") == part:GetPropertyChangedSignal("Name"))
    part.Transparency = 0
    part.Transparency = 0.5
    part.Transparency = 0.5
    part.Name = "Other"
    print(pcall(function() return part:GetPropertyChangedSignal("Foo") end))
"##;

#[test]
fn changes_fire_at_once_and_only_for_other_values() {
    immediate(
        CHANGES,
        r##"
        true
        Changed Transparency
        Transparency 0
        Changed Name
        false Foo is not a valid property name.
        "##,
    );
}

#[test]
fn changes_fire_later_and_only_for_other_values() {
    deferred(
        CHANGES,
        r##"
        true
        false Foo is not a valid property name.
        Changed Transparency
        Transparency 0
        Changed Name
        "##,
    );
}

#[test]
fn value_objects_pass_their_value() {
    both(
        r##"
        local value = Instance.new("IntValue")
        value.Changed:Connect(function(...) print("Changed", ...) end)
        value:GetPropertyChangedSignal("Value"):Connect(function() print("signal", value.Value) end)
        value.Value = 3
        task.wait()
        value.Value = 3
        value.Name = "Score"
        task.wait()
        print(value.Value)
        "##,
        r##"
        Changed 3
        signal 3
        3
        "##,
    );
}

#[test]
fn attributes_are_typed_and_signalled() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        part.AttributeChanged:Connect(function(name) print("AttributeChanged", name) end)
        part:GetAttributeChangedSignal("Speed"):Connect(function(...) print("Speed", select("#", ...)) end)
        part.Changed:Connect(function(name) print("Changed", name) end)
        print(part:GetAttributeChangedSignal("A") == part:GetAttributeChangedSignal("A"))
        part:SetAttribute("Speed", 5)
        task.wait()
        part:SetAttribute("Speed", 5)
        part:SetAttribute("Name-1./_x", Vector3.one)
        task.wait()
        part:SetAttribute("Speed", nil)
        task.wait()
        print(part:GetAttribute("Speed"), part:GetAttribute("Name-1./_x"))
        local all = part:GetAttributes()
        all.New = 1
        print(next(part:GetAttributes()))
        print(pcall(part.SetAttribute, part, "Bad name", 1))
        print(pcall(part.SetAttribute, part, "RBXThing", 1))
        print(pcall(part.SetAttribute, part, "", 1))
        print(pcall(part.SetAttribute, part, string.rep("a", 101), 1))
        print(pcall(part.SetAttribute, part, "T", {}))
        print(pcall(part.SetAttribute, part, "T", workspace))
        print(pcall(part.SetAttribute, part, "T", print))
        "##,
        r##"
        true
        AttributeChanged Speed
        Speed 0
        Changed Attributes
        AttributeChanged Name-1./_x
        Changed Attributes
        AttributeChanged Speed
        Speed 0
        Changed Attributes
        nil 1, 1, 1
        Name-1./_x 1, 1, 1
        false Attribute name "Bad name" contains an invalid character; use letters, digits and _ . - /
        false Attribute names starting with 'RBX' are reserved
        false Attribute name cannot be empty
        false Attribute name exceeds the maximum length of 100 characters
        false table is not a supported attribute type
        false Instance is not a supported attribute type
        false function is not a supported attribute type
        "##,
    );
}

#[test]
fn places_of_parts_agree() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        part:GetPropertyChangedSignal("Position"):Connect(function() print("moved", part.Position) end)
        part:GetPropertyChangedSignal("CFrame"):Connect(function() print("frame") end)
        part.Position = Vector3.new(1, 2, 3)
        task.wait()
        part.Position = Vector3.new(1, 2, 3)
        part.CFrame = CFrame.new(4, 5, 6)
        task.wait()
        print(part.Position, part.CFrame.Position == part.Position, part:GetPivot() == part.CFrame)
        part.Orientation = Vector3.new(0, 90, 0)
        task.wait()
        print(math.round(part.Orientation.Y), part.Position)
        part.BrickColor = BrickColor.new("Bright red")
        print(part.BrickColor, part.Color.R > 0.7)
        print(pcall(function() part.Position = 1 end))
        local model = Instance.new("Model", workspace)
        part.Parent = model
        model.PrimaryPart = part
        model:PivotTo(CFrame.new(0, 10, 0))
        task.wait()
        print(part.Position)
        "##,
        r##"
        frame
        moved 1, 2, 3
        frame
        moved 4, 5, 6
        4, 5, 6 true true
        frame
        90 4, 5, 6
        Bright red true
        false Unable to assign property Position. Vector3 expected, got number
        frame
        moved 0, 10, 0
        0, 10, 0
        "##,
    );
}

#[test]
fn properties_can_go_back_to_their_defaults() {
    both(
        r##"
        local part = Instance.new("Part")
        part.Transparency = 0.5
        part.Name = "Door"
        print(part:IsPropertyModified("Transparency"), part:IsPropertyModified("Size"), part:IsPropertyModified("Name"))
        part.Changed:Connect(function(name) print("changed", name) end)
        part:ResetPropertyToDefault("Transparency")
        task.wait()
        print(part.Transparency, pcall(part.IsPropertyModified, part, "Nope"))
        print(select(2, pcall(function() return Instance.new("Script").Source end)))
        print(select(2, pcall(Instance.new, "Part", "here")))
        print(select(2, pcall(Instance.new)))
        "##,
        r##"
        true false true
        changed Transparency
        0 false Nope is not a valid property name.
        The current thread cannot access 'Source' (lacking capability Plugin)
        invalid argument #2 to 'new' (Instance expected, got string)
        Argument 1 missing or nil
        "##,
    );
}
