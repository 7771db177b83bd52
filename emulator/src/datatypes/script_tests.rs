//! The datatypes as scripts see them: Luau that asserts, one function a type.

use super::*;
use crate::value::Value;
use crate::vm::{Resumed, VmOptions, compile};

/// Runs `source` in a VM with the datatypes. It can use `fails(text, f)`: `f` must raise exactly `text`.
fn run(source: &str) {
    const PRELUDE: &str = "local function fails(text, f, ...) local ok, message = pcall(f, ...) \
        assert(not ok, 'no error, expected: ' .. text) \
        if message ~= text then error(`{message}, expected: {text}`, 2) end end \
        local function eq(a, b) if a ~= b then error(`{a} is not {b}`, 2) end end \
        local function text(v, t) eq(tostring(v), t) end ";
    let vm = Vm::new(VmOptions::default()).unwrap();
    install(&vm).unwrap();
    vm.seal(&[]).unwrap();
    let code = compile(&format!("{PRELUDE}{source}"), "Test").unwrap();
    let function = vm.load(&code, "Test", &[]).unwrap();
    let thread = vm.thread(&function, 0).unwrap();
    match vm.resume(&thread, &[]) {
        Resumed::Returned => {}
        Resumed::Failed(failure) => panic!("{}", failure.report()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn vector3() {
    run(r##"
        eq(typeof(Vector3.new()), "Vector3") eq(type(Vector3.new()), "vector")
        text(Vector3.new(), "0, 0, 0") text(Vector3.new(1), "1, 0, 0") text(Vector3.new("1", 2), "1, 2, 0")
        text(Vector3.new(0.1), "0.10000000149011612, 0, 0")
        eq(Vector3.new(0.1).X == 0.1, false)
        eq(Vector3.zero, Vector3.new()) eq(Vector3.xAxis + Vector3.yAxis + Vector3.zAxis, Vector3.one)
        local v = Vector3.new(1, 2, 3)
        eq(v.X + v.y + v["Z"], 6)
        eq(v.Magnitude, 3.7416574954986572) text(Vector3.new(0, 3, 4).Unit, "0, 0.6000000238418579, 0.800000011920929")
        local unit = Vector3.zero.Unit
        assert(unit.X ~= unit.X)
        eq(v + v, v * 2) eq(v - v, Vector3.zero) eq(v * v, Vector3.new(1, 4, 9)) eq(v / 2, Vector3.new(0.5, 1, 1.5))
        eq(2 * v, v * 2) eq(v // 2, Vector3.new(0, 1, 1)) eq(-v, Vector3.new(-1, -2, -3)) eq(6 / v, Vector3.new(6, 3, 2))
        eq(v:Dot(Vector3.new(4, 5, 6)), 32) eq(v:Cross(Vector3.new(4, 5, 6)), Vector3.new(-3, 6, -3))
        eq(v:Lerp(Vector3.zero, 0.5), Vector3.new(0.5, 1, 1.5))
        eq((-v):Abs(), v) eq(Vector3.new(0.5, -0.5, 1):Ceil(), Vector3.new(1, -0, 1))
        eq(Vector3.new(0.5, -0.5, 1):Floor(), Vector3.new(0, -1, 1)) eq(Vector3.new(5, -5, 0):Sign(), Vector3.new(1, -1, 0))
        eq(v:Max(Vector3.new(0, 5, 0), Vector3.new(2, 0, 0)), Vector3.new(2, 5, 3)) eq(v:Min(Vector3.one), Vector3.one)
        assert(math.abs(Vector3.xAxis:Angle(Vector3.yAxis, -Vector3.zAxis) + math.pi / 2) < 1e-6)
        assert(v:FuzzyEq(v + Vector3.new(1e-6, 0, 0))) assert(not v:FuzzyEq(v + Vector3.new(1e-3, 0, 0)))
        assert(v:FuzzyEq(v + Vector3.new(1e-3, 0, 0), 1e-2))
        eq(Vector3.FromNormalId(Enum.NormalId.Front), -Vector3.zAxis) eq(Vector3.FromAxis(Enum.Axis.Y), Vector3.yAxis)
        eq(v.Dot, v.Dot) eq(v.Dot(v, v), 14)
        local keyed = { [v] = true } eq(keyed[Vector3.new(1, 2, 3)], true)
        fails("Foo is not a valid member of Vector3", function() return v.Foo end)
        fails("Foo is not a valid member of Vector3", function() return v:Foo() end)
        fails("Magnitude cannot be assigned to", function() v.Magnitude = 1 end)
        fails("invalid argument #1 to 'Dot' (Vector3 expected, got number)", function() v:Dot(1) end)
        fails("missing argument #1 to 'Dot' (Vector3 expected)", function() v:Dot() end)
    "##);
}

#[test]
fn vector2() {
    run(r##"
        local v = Vector2.new(3, 4)
        eq(typeof(v), "Vector2") eq(type(v), "userdata") text(v, "3, 4") text(Vector2.new(), "0, 0")
        eq(v, Vector2.new(3, 4)) assert(v ~= Vector2.new(3, 5)) assert(v ~= Vector3.new(3, 4, 0))
        eq(v.X, 3) eq(v.Y, 4) eq(v.Magnitude, 5) eq(Vector2.zero, Vector2.new()) eq(Vector2.xAxis + Vector2.yAxis, Vector2.one)
        eq(v + v, v * 2) eq(v - v, Vector2.zero) eq(v * v, Vector2.new(9, 16)) eq(v / v, Vector2.one) eq(2 * v, v * 2)
        eq(v // 2, Vector2.new(1, 2)) eq(12 / v, Vector2.new(4, 3)) eq(-v, Vector2.new(-3, -4))
        eq(v:Dot(Vector2.new(1, 2)), 11) eq(v:Cross(Vector2.new(1, 2)), 2) eq(v:Lerp(Vector2.zero, 0.5), Vector2.new(1.5, 2))
        eq(v:Max(Vector2.new(9, 0)), Vector2.new(9, 4)) eq(v:Min(Vector2.new(9, 0)), Vector2.new(3, 0))
        eq(Vector2.new(-0.5, 1.5):Floor(), Vector2.new(-1, 1)) eq((-v):Abs(), v) eq((-v):Sign(), -Vector2.one)
        assert(v:FuzzyEq(Vector2.new(3, 4.00001))) assert(Vector2.yAxis:Angle(Vector2.xAxis, true) < 0)
        fails("invalid argument #2 (Vector2 expected, got nil)", function() return v + nil end)
        fails("invalid argument #2 (Vector2 expected, got string)", function() return v * "x" end)
        fails("Z is not a valid member of Vector2", function() return v.Z end)
        fails("X cannot be assigned to", function() v.X = 1 end)
    "##);
}

#[test]
fn cframe() {
    run(r##"
        local function near(a, b) assert(a:FuzzyEq(b, 1e-5), `{a} is not near {b}`) end
        eq(typeof(CFrame.new()), "CFrame") eq(CFrame.new(), CFrame.identity)
        text(CFrame.new(1, 2, 3), "1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1")
        eq(CFrame.new(Vector3.new(1, 2, 3)), CFrame.new(1, 2, 3))
        near(CFrame.new(Vector3.zero, Vector3.xAxis), CFrame.Angles(0, -math.pi / 2, 0))
        near(CFrame.lookAt(Vector3.zero, Vector3.xAxis), CFrame.fromOrientation(0, -math.pi / 2, 0))
        near(CFrame.lookAlong(Vector3.one, Vector3.xAxis), CFrame.new(1, 1, 1) * CFrame.Angles(0, -math.pi / 2, 0))
        near(CFrame.new(1, 2, 3, 0, 2, 0, 2), CFrame.new(1, 2, 3) * CFrame.Angles(0, math.pi / 2, 0))
        eq(CFrame.new(1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1), CFrame.new(1, 2, 3))
        eq(CFrame.fromMatrix(Vector3.one, Vector3.xAxis, Vector3.yAxis), CFrame.new(1, 1, 1))
        near(CFrame.fromAxisAngle(Vector3.yAxis * 3, 1), CFrame.Angles(0, 1, 0))
        near(CFrame.fromRotationBetweenVectors(Vector3.xAxis, Vector3.zAxis), CFrame.Angles(0, -math.pi / 2, 0))
        for _, order in Enum.RotationOrder:GetEnumItems() do
            local x, y, z = CFrame.fromEulerAngles(0.1, 0.2, 0.3, order):ToEulerAngles(order)
            assert(math.abs(x - 0.1) + math.abs(y - 0.2) + math.abs(z - 0.3) < 1e-5, tostring(order))
        end
        local c = CFrame.new(1, 2, 3) * CFrame.fromOrientation(0.1, 0.2, 0.3)
        local x, y, z = c:ToOrientation()
        assert(math.abs(x - 0.1) + math.abs(y - 0.2) + math.abs(z - 0.3) < 1e-5)
        near(CFrame.Angles(c:ToEulerAnglesXYZ()), c.Rotation) near(CFrame.fromEulerAnglesYXZ(c:ToEulerAnglesYXZ()), c.Rotation)
        eq(c.Position, Vector3.new(1, 2, 3)) eq(c.X, 1) eq(c.Y, 2) eq(c.Z, 3) eq(c.p, c.Position)
        eq(c.LookVector, -c.ZVector) eq(c.RightVector, c.XVector) eq(c.UpVector, c.YVector)
        near(c * c:Inverse(), CFrame.identity)
        eq(CFrame.new(1, 2, 3) * Vector3.new(1, 1, 1), Vector3.new(2, 3, 4))
        eq(CFrame.new(1, 2, 3) + Vector3.one, CFrame.new(2, 3, 4)) eq(CFrame.new(1, 2, 3) - Vector3.one, CFrame.new(0, 1, 2))
        near(CFrame.new():Lerp(CFrame.new(2, 0, 0) * CFrame.Angles(0, 1, 0), 0.5), CFrame.new(1, 0, 0) * CFrame.Angles(0, 0.5, 0))
        near(c:ToWorldSpace(c:ToObjectSpace(CFrame.new(9, 9, 9))), CFrame.new(9, 9, 9))
        eq(select("#", c:ToObjectSpace(c, c, c)), 3) eq(select("#", c:PointToWorldSpace()), 0)
        local a, b = c:PointToWorldSpace(Vector3.zero, Vector3.xAxis)
        eq(a, c.Position) assert(b:FuzzyEq(c.Position + c.RightVector))
        assert(c:PointToObjectSpace(b):FuzzyEq(Vector3.xAxis, 1e-5)) assert(c:VectorToWorldSpace(Vector3.xAxis):FuzzyEq(c.RightVector))
        assert(c:VectorToObjectSpace(c.RightVector):FuzzyEq(Vector3.xAxis, 1e-5))
        eq(CFrame.new(c:GetComponents()), c) eq(select("#", c:components()), 12)
        local axis, angle = CFrame.Angles(0, 0.5, 0):ToAxisAngle()
        assert(axis:FuzzyEq(Vector3.yAxis, 1e-5) and math.abs(angle - 0.5) < 1e-5)
        assert(math.abs(c:AngleBetween(c * CFrame.Angles(0, 0.5, 0)) - 0.5) < 1e-5) near(c:Orthonormalize(), c)
        fails("Foo is not a valid member of CFrame", function() return c.Foo end)
        fails("X cannot be assigned to", function() c.X = 1 end)
        fails("invalid argument #2 (Vector3 expected, got number)", function() return c * 5 end)
        fails("invalid argument #2 (Vector3 expected, got CFrame)", function() return c + c end)
        fails("Invalid number of arguments: 4", function() CFrame.new(1, 2, 3, 4) end)
        fails("Expected ':' not '.' calling member function Inverse", function() c.Inverse() end)
        fails("invalid argument #1 to 'Lerp' (CFrame expected, got nil)", function() c:Lerp(nil, 1) end)
    "##);
}

#[test]
fn colors() {
    run(r##"
        eq(typeof(Color3.new()), "Color3") text(Color3.new(1, 0.5), "1, 0.5, 0") eq(Color3.new(), Color3.fromRGB(0, 0, 0))
        eq(Color3.fromRGB(255, 0, 51), Color3.fromHex("#FF0033")) eq(Color3.fromHSV(0, 1, 1), Color3.new(1, 0, 0))
        eq(Color3.fromRGB(255, 0, 51):ToHex(), "ff0033") eq(Color3.new(1):Lerp(Color3.new(), 0.5), Color3.new(0.5, 0, 0))
        local h, s, v = Color3.new(0, 1, 0):ToHSV() assert(math.abs(h - 1 / 3) < 1e-6 and s == 1 and v == 1)
        eq(Color3.new(2, 0, 0).R, 2)
        fails("Unable to convert characters to hex value", Color3.fromHex, "nope")
        text(BrickColor.new("Bright red"), "Bright red") eq(BrickColor.new(21), BrickColor.Red()) eq(BrickColor.new(-1).Number, 194)
        eq(BrickColor.new(Color3.new(1, 0, 0)).Name, "Really red") eq(BrickColor.new(1, 0, 0), BrickColor.new("Really red"))
        eq(BrickColor.palette(127).Name, "Really black") eq(BrickColor.White().Color, BrickColor.new("White").Color)
        eq(typeof(BrickColor.random()), "BrickColor") eq(BrickColor.Blue().r, BrickColor.Blue().Color.R)
        fails("color palette index out of bounds (128)", BrickColor.palette, 128)
    "##);
}

#[test]
fn screen_sizes_and_ranges() {
    run(r##"
        local u = UDim.new(0.5, 10)
        text(u, "0.5, 10") eq(u + u, UDim.new(1, 20)) eq(u - u, UDim.new()) eq(-u, UDim.new(-0.5, -10)) eq(u.Scale, 0.5) eq(u.Offset, 10)
        local d = UDim2.new(0.5, 10, 1, -4)
        text(d, "{0.5, 10}, {1, -4}") eq(d, UDim2.new(u, UDim.new(1, -4))) eq(d.X, d.Width) eq(d.Y, d.Height) eq(d.X, u)
        eq(UDim2.fromScale(1, 2), UDim2.new(1, 0, 2, 0)) eq(UDim2.fromOffset(1, 2), UDim2.new(0, 1, 0, 2)) eq(UDim2.new(), d - d)
        eq(UDim2.new():Lerp(d, 0.5), UDim2.new(0.25, 5, 0.5, -2)) eq(d + UDim2.fromOffset(1, 1), UDim2.new(0.5, 11, 1, -3))
        fails("invalid argument #2 (UDim2 expected, got UDim)", function() return d + u end)
        local r = NumberRange.new(1, 2) text(r, "1 2 ") eq(r.Min + r.Max, 3) eq(NumberRange.new(3).Max, 3) eq(r, NumberRange.new(1, 2))
        fails("NumberRange: invalid range", NumberRange.new, 2, 1)
        local rect = Rect.new(10, 20, 0, 5) text(rect, "0, 5, 10, 20") eq(rect.Width, 10) eq(rect.Height, 15)
        eq(rect.Min, Vector2.new(0, 5)) eq(Rect.new(Vector2.zero, Vector2.one), Rect.new(0, 0, 1, 1)) eq(Rect.new().Max, Vector2.zero)
    "##);
}

#[test]
fn sequences() {
    run(r##"
        local n = NumberSequence.new(1, 3)
        text(n, "0 1 0 1 3 0 ") eq(n, NumberSequence.new({ NumberSequenceKeypoint.new(0, 1), NumberSequenceKeypoint.new(1, 3) }))
        eq(#n.Keypoints, 2) eq(n.Keypoints[2].Value, 3) eq(NumberSequence.new(5).Keypoints[2].Value, 5)
        local k = NumberSequenceKeypoint.new(0.5, 2, 0.1) eq(k.Time, 0.5) eq(k.Value, 2) assert(math.abs(k.Envelope - 0.1) < 1e-6)
        local c = ColorSequence.new(Color3.new(1), Color3.new(0, 1)) eq(c.Keypoints[2].Value, Color3.new(0, 1, 0))
        eq(ColorSequence.new(Color3.new()).Keypoints[1].Time, 0) text(ColorSequenceKeypoint.new(0, Color3.new(1, 1, 1)), "0 1 1 1 0 ")
        fails("NumberSequence.new(): requires at least 2 keypoints", NumberSequence.new, {})
        fails("NumberSequence.new(): table must be an array of NumberSequenceKeypoints, got number", NumberSequence.new, { 1 })
        fails("ColorSequence.new(): must end at time=1.0", ColorSequence.new,
            { ColorSequenceKeypoint.new(0, Color3.new()), ColorSequenceKeypoint.new(0.5, Color3.new()) })
    "##);
}

#[test]
fn enums() {
    run(r##"
        eq(typeof(Enum), "Enums") eq(typeof(Enum.Material), "Enum") eq(typeof(Enum.Material.Grass), "EnumItem")
        eq(type(Enum.Material.Grass), "userdata") text(Enum.Material.Grass, "Enum.Material.Grass") text(Enum.Material, "Material")
        text(Enum, "Enums")
        local grass = Enum.Material.Grass
        eq(grass.Name, "Grass") eq(grass.Value, 1280) eq(grass.EnumType, Enum.Material) eq(grass, Enum.Material.Grass)
        eq(grass:IsA("Material"), true) eq(grass:IsA("NormalId"), false)
        eq(Enum.Material:FromName("Grass"), grass) eq(Enum.Material:FromName("Gras"), nil)
        eq(Enum.Material:FromValue(1280), grass) eq(Enum.Material:FromValue(1), nil) eq(Enum.Material:FromValue(-1), nil)
        eq(#Enum.Axis:GetEnumItems(), 3) eq(Enum.Axis:GetEnumItems()[1], Enum.Axis.X)
        assert(table.find(Enum:GetEnums(), Enum.Material)) eq(({ [grass] = 1 })[Enum.Material.Grass], 1)
        fails('Foo is not a valid member of "Enum"', function() return Enum.Foo end)
        fails('Foo is not a valid member of "Enum.Material"', function() return Enum.Material.Foo end)
        fails('Foo is not a valid member of "Enum.Material.Grass"', function() return grass.Foo end)
        fails('Foo is not a valid member of "Enum.Material"', function() return Enum.Material:Foo() end)
        fails("Value cannot be assigned to", function() grass.Value = 1 end)
    "##);
}

#[test]
fn tweens_and_dates() {
    run(r##"
        text(TweenInfo.new(), "Time:1 DelayTime:0 RepeatCount:0 Reverses:False EasingDirection:Out EasingStyle:Quad")
        local t = TweenInfo.new(2, Enum.EasingStyle.Linear, "In", 3, true, 0.5)
        eq(t.Time, 2) eq(t.EasingStyle, Enum.EasingStyle.Linear) eq(t.EasingDirection, Enum.EasingDirection.In)
        eq(t.RepeatCount, 3) eq(t.Reverses, true) eq(t.DelayTime, 0.5) eq(t, TweenInfo.new(2, 0, 0, 3, true, 0.5))
        fails('Invalid value "Enum.Axis.X" for enum EasingStyle', TweenInfo.new, 1, Enum.Axis.X)
        local d = DateTime.fromUniversalTime(2026, 11, 30, 20, 47, 9, 500)
        eq(d.UnixTimestamp, 1796071629) eq(d.UnixTimestampMillis, 1796071629500) eq(d:ToIsoDate(), "2026-11-30T20:47:09Z")
        eq(d, DateTime.fromIsoDate("2026-11-30T20:47:09.5Z")) eq(DateTime.fromIsoDate("soon"), nil) text(d, "1796071629500")
        local parts = d:ToUniversalTime() eq(parts.Year, 2026) eq(parts.Millisecond, 500) eq(d:ToLocalTime().Hour, 20)
        eq(d:FormatUniversalTime("YYYY/MM/DD", "en-us"), "2026/11/30") eq(DateTime.fromUnixTimestamp(1.9).UnixTimestampMillis, 1000)
        eq(DateTime.fromUniversalTime().UnixTimestamp, 0) eq(typeof(DateTime.now()), "DateTime")
        fails("invalid date", DateTime.fromUniversalTime, 2026, 2, 30)
        fails("timestamp out of range", DateTime.fromUnixTimestamp, 1e15)
    "##);
}

#[test]
fn random() {
    run(r##"
        local a, b = Random.new(42), Random.new(42)
        text(a, "Random") eq(typeof(a), "Random") assert(a ~= b) eq(a, a)
        for _ = 1, 20 do eq(a:NextInteger(1, 100), b:NextInteger(100, 1)) end
        eq(a:NextNumber(), b:NextNumber()) eq(a:NextNumber(5, 6), b:NextNumber(5, 6)) eq(a:NextUnitVector(), b:NextUnitVector())
        local c = a:Clone() assert(c ~= a) eq(c:NextNumber(), a:NextNumber())
        math.randomseed(7) local r = Random.new(7)
        for _ = 1, 10 do eq(r:NextInteger(1, 6), math.random(1, 6)) eq(r:NextNumber(), math.random()) end
        local list = { 1, 2, 3, 4, 5, 6, 7, 8 } eq(select("#", r:Shuffle(list)), 0) eq(#list, 8)
        local seen = table.clone(list) table.sort(seen) eq(table.concat(seen, " "), "1 2 3 4 5 6 7 8")
        assert(table.concat(list, " ") ~= "1 2 3 4 5 6 7 8")
        fails("Random:Shuffle can only be called on tables that are arrays without holes", function() r:Shuffle({ 1, nil, 3 }) end)
        fails("missing argument #2 to 'NextInteger' (number expected)", function() r:NextInteger(1) end)
        fails("Seed is not a valid member of Random", function() return r.Seed end)
    "##);
}

#[test]
fn rays_regions_and_small_vectors() {
    run(r##"
        local ray = Ray.new(Vector3.zero, Vector3.yAxis * 4)
        eq(ray.Unit.Direction, Vector3.yAxis) eq(ray:ClosestPoint(Vector3.new(3, 9, 0)), Vector3.new(0, 9, 0))
        eq(ray:Distance(Vector3.new(3, 9, 4)), 5) text(ray, "{0, 0, 0}, {0, 4, 0}") eq(ray.Origin, Vector3.zero)
        local region = Region3.new(Vector3.new(-1, 0, 0), Vector3.new(5, 4, 4))
        eq(region.Size, Vector3.new(6, 4, 4)) eq(region.CFrame, CFrame.new(2, 2, 2)) eq(region:ExpandToGrid(4).Size, Vector3.new(12, 4, 4))
        fails("Resolution has to be a positive number", function() region:ExpandToGrid(0) end)
        local v = Vector3int16.new(7, -8, 40000) text(v, "7, -8, -25536") eq(v + Vector3int16.new(1, 1, 1), Vector3int16.new(8, -7, -25535))
        eq(v / 2, Vector3int16.new(3, -4, -12768)) eq(-v, Vector3int16.new(-7, 8, 25536)) eq(2 * Vector2int16.new(1, 2), Vector2int16.new(2, 4))
        eq(Vector2int16.new(9, 8) - 1, Vector2int16.new(8, 7)) eq(Region3int16.new(v, v).Max, v)
        fails("invalid argument #2 (Vector3int16 expected, got Vector3)", function() return v + Vector3.one end)
    "##);
}

#[test]
fn the_rest() {
    run(r##"
        local p = PhysicalProperties.new(Enum.Material.Ice) assert(math.abs(p.Density - 0.919) < 1e-6)
        eq(PhysicalProperties.new(1, 0.5, 0.25).FrictionWeight, 1) text(PhysicalProperties.new(1, 0.5, 0.25), "1, 0.5, 0.25, 1, 1")
        local axes = Axes.new(Enum.Axis.X, Enum.NormalId.Top) eq(axes.X, true) eq(axes.Bottom, true) eq(axes.Z, false) text(axes, "X, Y")
        local faces = Faces.new(Enum.NormalId.Top) eq(faces.Top, true) eq(faces.Left, false) text(faces, "Top")
        local font = Font.fromEnum(Enum.Font.SourceSansBold)
        eq(font.Bold, true) eq(font.Weight, Enum.FontWeight.Bold) eq(font.Family, "rbxasset://fonts/families/SourceSansPro.json")
        eq(Font.fromName("Arial"), Font.new("rbxasset://fonts/families/Arial.json")) eq(Font.fromId(5).Family, "rbxassetid://5")
        eq(Font.fromName("Arial", Enum.FontWeight.Thin, Enum.FontStyle.Italic).Style, Enum.FontStyle.Italic)
        local content = Content.fromUri("rbxassetid://1") eq(content.Uri, "rbxassetid://1") eq(content, Content.fromAssetId(1))
        eq(content.SourceType, Enum.ContentSourceType.Uri) eq(Content.none.Uri, nil)
        local point = PathWaypoint.new(Vector3.one, Enum.PathWaypointAction.Jump, "door")
        eq(point.Position, Vector3.one) eq(point.Action, Enum.PathWaypointAction.Jump) eq(point.Label, "door")
    "##);
}

#[test]
fn every_datatype_goes_into_a_vm_and_comes_back() {
    let values: Vec<Datatype> = vec![
        CFrame::from_orientation(0.1, 0.2, 0.3).into(),
        Color3::new(0.1, 0.2, 0.3).into(),
        Vector2::new(1.0, 2.0).into(),
        UDim::new(0.5, 3).into(),
        UDim2::new(UDim::new(0.5, 3), UDim::new(1.0, -3)).into(),
        NumberRange { min: 1.0, max: 2.0 }.into(),
        BrickColor::from_name("Bright red").into(),
        color_sequence::between(Color3::new(1.0, 0.0, 0.0), Color3::new(0.0, 1.0, 0.0)).into(),
        ColorSequenceKeypoint::new(0.5, Color3::new(1.0, 0.0, 0.0)).into(),
        number_sequence::between(1.0, 2.0).into(),
        NumberSequenceKeypoint::new(0.5, 1.0, 0.25).into(),
        TweenInfo::default().into(),
        DateTime { millis: -5 }.into(),
        Random::new(7).into(),
        Rect::new(Vector2::ZERO, Vector2::ONE).into(),
        Ray::new(Vector3::ONE, Vector3::X).into(),
        Region3::new(Vector3::ZERO, Vector3::ONE).into(),
        Vector2int16::new(1, -2).into(),
        Vector3int16::new(1, -2, 3).into(),
        Region3int16 { min: Vector3int16::new(0, 0, 0), max: Vector3int16::new(1, 2, 3) }.into(),
        PhysicalProperties::new(1.0, 0.5, 0.25).into(),
        Axes { parts: [true, false, true] }.into(),
        Faces { parts: [true, false, true, false, false, true] }.into(),
        Font::new("rbxasset://fonts/families/Arial.json", 400, 0).unwrap().into(),
        Content::from_uri("rbxassetid://1").unwrap().into(),
        PathWaypoint { position: Vector3::ONE, action: 1, label: inline_text::InlineText::new("a").unwrap() }
            .into(),
    ];
    // The last three belong to a side: each is a number of one.
    assert_eq!(values.len() + 3, Datatype::NAMES.len());
    let vm = Vm::new(VmOptions::default()).unwrap();
    install(&vm).unwrap();
    for (index, value) in values.into_iter().enumerate() {
        assert_eq!(value.index(), index);
        let (back, shown, name) = vm
            .enter(|cx| {
                cx.push(&Value::Datatype(value.clone()));
                Ok((cx.value(-1)?, cx.display(-1), cx.type_name(-1)))
            })
            .unwrap();
        assert_eq!((shown, name.as_str()), (value.to_text(), value.type_name()));
        assert_eq!(back, Value::Datatype(value));
    }
}
