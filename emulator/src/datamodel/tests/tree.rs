//! Creation, parents, search, clones and the events of moves. Source: Roblox behaviour, 7.1, 7.3 and 7.4.

use super::{both, deferred, immediate};

#[test]
fn instances_are_made_by_class() {
    both(
        r##"
        local folder = Instance.new("Folder")
        print(folder.Name, folder.ClassName, folder.Parent, tostring(folder), typeof(folder), type(folder))
        print(Instance.new("Part", folder).Parent == folder, folder == folder, folder ~= Instance.new("Folder"))
        for _, class in { "BasePart", "Workspace", "Nope", "Instance" } do
            print(select(2, pcall(Instance.new, class)))
        end
        print(folder:IsA("Folder"), folder:IsA("Instance"), folder:IsA("Object"), folder:IsA("Part"))
        "##,
        r##"
        Folder Folder nil Folder Instance userdata
        true true true
        Unable to create an Instance of type "BasePart"
        Unable to create an Instance of type "Workspace"
        Unable to create an Instance of type "Nope"
        Unable to create an Instance of type "Instance"
        true true true false
        "##,
    );
}

#[test]
fn parents_have_rules() {
    both(
        r##"
        local a, b = Instance.new("Folder"), Instance.new("Folder")
        a.Name, b.Name = "A", "B"
        b.Parent = a
        print(pcall(function() a.Parent = a end))
        print(pcall(function() a.Parent = b end))
        print(pcall(function() a.Parent = 1 end))
        a.Parent = workspace
        b:Destroy()
        print(b.Parent, b.Name, pcall(function() b.Parent = a end))
        print(pcall(function() b.Parent = nil end))
        print(pcall(function() workspace.Parent = nil end))
        a:Destroy()
        a:Destroy()
        print(a.Parent)
        "##,
        r##"
        false Attempt to set A as its own parent
        false Attempt to set parent of A to B would result in circular reference
        false Unable to assign property Parent. Instance expected, got number
        nil B false The Parent property of B is locked, current parent: NULL, new parent A
        true
        false The Parent property of Workspace is locked, current parent: Game, new parent NULL
        nil
        "##,
    );
}

#[test]
fn children_are_found() {
    both(
        r##"
        local root = Instance.new("Model", workspace)
        root.Name = "Root"
        local part = Instance.new("Part", root)
        local inner = Instance.new("Folder", part)
        inner.Name = "Inner"
        print(root.Part == part, root:FindFirstChild("Inner"), root:FindFirstChild("Inner", true) == inner)
        print(root:FindFirstChildOfClass("BasePart"), root:FindFirstChildWhichIsA("BasePart") == part)
        print(root:FindFirstChildWhichIsA("Folder", true) == inner)
        print(inner:FindFirstAncestor("Root") == root, inner:FindFirstAncestorOfClass("Model") == root)
        print(inner:FindFirstAncestorWhichIsA("PVInstance") == part, inner:FindFirstAncestor("Nope"))
        print(inner:GetFullName(), workspace:GetFullName(), game:GetFullName())
        print(#root:GetChildren(), #root:GetDescendants(), root:GetDescendants()[2] == inner)
        print(inner:IsDescendantOf(root), root:IsDescendantOf(root), root:IsAncestorOf(inner), inner:IsDescendantOf(game))
        print(pcall(function() return root:FindFirstDescendant("Inner") end))
        print(pcall(function() return root:FindFirstChild() end))
        print(pcall(function() return root.FindFirstChild("Part") end))
        root:ClearAllChildren()
        print(#root:GetChildren(), part.Parent, inner.Parent)
        print(part:GetActor())
        "##,
        r##"
        true nil true
        nil true
        true
        true true
        true nil
        Workspace.Root.Part.Inner Workspace Game
        1 2 true
        true false true true
        false FindFirstDescendant is not enabled
        false Argument 1 missing or nil
        false Expected ':' not '.' calling member function FindFirstChild
        0 nil nil
        nil
        "##,
    );
}

#[test]
fn clones_copy_what_is_archivable() {
    both(
        r##"
        local root = Instance.new("Model", workspace)
        local value = Instance.new("ObjectValue", root)
        local part = Instance.new("Part", root)
        part.Anchored = true
        value.Value = part
        local outside = Instance.new("ObjectValue", root)
        outside.Name = "Outside"
        outside.Value = workspace
        local hidden = Instance.new("Folder", root)
        hidden.Archivable = false
        part:SetAttribute("Speed", 3)
        part:AddTag("Fast")
        local copy = root:Clone()
        print(copy.Parent, #copy:GetChildren(), copy.Part ~= part, copy.Part.Anchored)
        print(copy.Value.Value == copy.Part, copy.Outside.Value == workspace)
        print(copy.Part:GetAttribute("Speed"), copy.Part:HasTag("Fast"))
        print(hidden:Clone())
        local flat = Instance.fromExisting(root)
        print(flat.ClassName, #flat:GetChildren(), Instance.fromExisting(hidden).ClassName)
        "##,
        r##"
        nil 3 true true
        true true
        3 true
        nil
        Model 0 Folder
        "##,
    );
}

const MOVE: &str = r##"
    local a, b = Instance.new("Folder", workspace), Instance.new("Folder", workspace)
    a.Name, b.Name = "A", "B"
    local model = Instance.new("Model", a)
    local part = Instance.new("Part", model)
    local function watch(instance, event)
        instance[event]:Connect(function(...)
            local names = {}
            for _, value in { ... } do table.insert(names, tostring(value)) end
            print(instance.Name, event, table.concat(names, " "), "parent", model.Parent)
        end)
    end
    for _, folder in { a, b } do
        for _, event in { "ChildAdded", "ChildRemoved", "DescendantAdded", "DescendantRemoving" } do
            watch(folder, event)
        end
    end
    watch(model, "AncestryChanged")
    watch(part, "AncestryChanged")
    model.Parent = b
    print("moved")
"##;

#[test]
fn a_move_fires_in_order_at_once() {
    immediate(
        MOVE,
        r##"
        A DescendantRemoving Model parent A
        A DescendantRemoving Part parent A
        A ChildRemoved Model parent B
        B ChildAdded Model parent B
        B DescendantAdded Model parent B
        B DescendantAdded Part parent B
        Model AncestryChanged Model B parent B
        Part AncestryChanged Model B parent B
        moved
        "##,
    );
}

#[test]
fn a_move_fires_in_order_later() {
    deferred(
        MOVE,
        r##"
        moved
        A DescendantRemoving Model parent B
        A DescendantRemoving Part parent B
        A ChildRemoved Model parent B
        B ChildAdded Model parent B
        B DescendantAdded Model parent B
        B DescendantAdded Part parent B
        Model AncestryChanged Model B parent B
        Part AncestryChanged Model B parent B
        "##,
    );
}

const DESTROY: &str = r##"
    local folder = Instance.new("Folder", workspace)
    local part = Instance.new("Part", folder)
    folder.Destroying:Connect(function() print("folder", folder.Parent, #folder:GetChildren()) end)
    part.Destroying:Connect(function() print("part", part.Parent) end)
    local connection = folder.Changed:Connect(function(name) print("changed", name) end)
    folder:Destroy()
    print("destroyed", connection.Connected, folder.Parent, part.Parent)
    folder.Name = "Late"
    print(folder.Name)
"##;

#[test]
fn destroying_sees_the_tree_in_immediate_mode() {
    immediate(
        DESTROY,
        r##"
        folder Workspace 1
        part Folder
        changed Parent
        destroyed false nil nil
        Late
        "##,
    );
}

#[test]
fn destroying_comes_too_late_in_deferred_mode() {
    deferred(
        DESTROY,
        r##"
        destroyed false nil nil
        Late
        folder nil 0
        part nil
        changed Parent
        "##,
    );
}

#[test]
fn waiting_for_a_child() {
    both(
        r##"
        local folder = Instance.new("Folder", workspace)
        local part = Instance.new("Part", folder)
        print(folder:WaitForChild("Part") == part)
        task.spawn(function() print("late", folder:WaitForChild("Late").Name) end)
        task.spawn(function() print("gone", folder:WaitForChild("Gone", 0.05)) end)
        task.spawn(function() print("renamed", folder:WaitForChild("Renamed") == part) end)
        task.wait(0.1)
        Instance.new("Folder", folder).Name = "Early"
        local late = Instance.new("Folder")
        late.Name = "Late"
        late.Parent = folder
        part.Name = "Renamed"
        task.wait(0.1)
        print("end")
        "##,
        r##"
        true
        gone nil
        late Late
        renamed true
        end
        "##,
    );
}

#[test]
fn waiting_too_long_warns_once() {
    both(
        r##"
        local folder = Instance.new("Folder", workspace)
        task.spawn(function() print(folder:WaitForChild("X")) end)
        task.spawn(function() print(folder:WaitForChild("Y", 6)) end)
        task.wait(4.9)
        print("soon")
        task.wait(2)
        print("end")
        "##,
        r##"
        soon
        Infinite yield possible on 'Workspace.Folder:WaitForChild("X")'
        nil
        end
        "##,
    );
}
