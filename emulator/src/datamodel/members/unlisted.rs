//! Members that Roblox has and the emulator has not: so that using one says so, instead of denying that it exists.
//!
//! Source: engine class reference, August 2026. A class that is [`is_complete`] has every member here or in the table
//! of members, so an unknown name there is a mistake of the script; of any other class a call of an unknown name may
//! be right, and gives the same answer as a name listed here.

/// Class, then names of its methods, events and callbacks.
const UNLISTED: &[(&str, &str)] = &[
    (
        "Instance",
        "GetDebugId GetStyled GetStyledPropertyChangedSignal QueryDescendants \
         StyledPropertiesChanged SetPredictionMode GetPredictionMode",
    ),
    (
        "DataModel",
        "GetJobsInfo GetObjects GetObjectsAsync HttpGetAsync HttpPostAsync SavePlace SetPlaceId SetUniverseId Shutdown \
         InsertObjectsAndJoinIfLegacyAsync BindToSave GraphicsQualityChangeRequest ServerRestartScheduled \
         IsGearTypeAllowed ItemChanged OnClose",
    ),
    (
        "BasePart",
        "AngularAccelerationToTorque ApplyAngularImpulse ApplyImpulse ApplyImpulseAtPosition BreakJoints \
         CanCollideWith CanSetNetworkOwnership GetClosestPointOnSurface GetConnectedParts GetJoints GetMass \
         GetNetworkOwner GetNetworkOwnershipAuto GetNoCollisionConstraints GetTouchingParts GetVelocityAtPosition \
         IntersectAsync IsGrounded MakeJoints Resize SetNetworkOwner SetNetworkOwnershipAuto SubtractAsync \
         TorqueToAngularAcceleration UnionAsync Touched TouchEnded GetRenderCFrame GetRootPart LocalSimulationTouched \
         OutfitChanged StoppedTouching breakJoints getMass makeJoints resize touched",
    ),
    (
        "Model",
        "AddPersistentPlayer BreakJoints GetModelCFrame GetModelSize MoveTo moveTo breakJoints makeJoints \
         ResetOrientationToIdentity SetIdentityOrientation GetBoundingBox GetExtentsSize GetPersistentPlayers GetPrimaryPartCFrame \
         GetScale MakeJoints RemovePersistentPlayer ScaleTo SetPrimaryPartCFrame TranslateBy",
    ),
    (
        "WorldRoot",
        "ArePartsTouchingOthers Blockcast BulkMoveTo FindPartOnRay FindPartOnRayWithIgnoreList \
         FindPartOnRayWithWhitelist FindPartsInRegion3 GetPartBoundsInBox GetPartBoundsInRadius GetPartsInPart \
         IKMoveTo Raycast Shapecast Spherecast StepPhysics",
    ),
    (
        "Workspace",
        "GetNumAwakeParts GetPhysicsThrottling GetRealPhysicsFPS JoinToOutsiders UnjoinFromOutsiders ZoomToExtents \
         PersistentLoaded BreakJoints MakeJoints CalculateJumpDistance CalculateJumpHeight CalculateJumpPower \
         ExperimentalSolverIsEnabled PGSIsEnabled SetInsertPoint SetPhysicsThrottleEnabled",
    ),
    (
        "Players",
        "BanAsync Chat CreateHumanoidModelFromDescription CreateHumanoidModelFromDescriptionAsync \
         CreateHumanoidModelFromUserId CreateHumanoidModelFromUserIdAsync GetBanHistoryAsync \
         GetCharacterAppearanceAsync GetCharacterAppearanceInfoAsync GetFriendsAsync \
         GetHumanoidDescriptionFromOutfitId GetHumanoidDescriptionFromOutfitIdAsync \
         GetHumanoidDescriptionFromUserId GetHumanoidDescriptionFromUserIdAsync GetNameFromUserIdAsync \
         GetUserIdFromNameAsync GetUserThumbnailAsync SetChatStyle TeamChat UnbanAsync \
         UserSubscriptionStatusChanged playerFromCharacter",
    ),
    (
        "Player",
        "AddReplicationFocus ClearCharacterAppearance DistanceFromCharacter GetFriendsOnline GetFriendsOnlineAsync \
         GetJoinData GetMouse GetRankInGroup GetRankInGroupAsync GetRoleInGroup GetRoleInGroupAsync \
         HasAppearanceLoaded IsFriendsWith IsFriendsWithAsync IsInGroup IsInGroupAsync IsVerified LoadCharacter \
         LoadCharacterAsync LoadCharacterAppearance LoadCharacterWithHumanoidDescription \
         LoadCharacterWithHumanoidDescriptionAsync Move RemoveReplicationFocus RequestStreamAroundAsync",
    ),
    ("BasePlayerGui", "GetGuiObjectsAtPosition GetGuiObjectsInCircle"),
    ("PlayerGui", "GetTopbarTransparency SetTopbarTransparency TopbarTransparencyChangedSignal"),
    ("StarterGui", "GetCore GetCoreGuiEnabled RegisterGetCore RegisterSetCore SetCore SetCoreGuiEnabled"),
    ("LuaSourceContainer", "GetHash"),
    ("CollectionService", "GetCollection ItemAdded ItemRemoved"),
    ("Debris", "SetLegacyMaxItems"),
    ("RunService", "GetPredictionStatus Reset Misprediction Rollback"),
    (
        "LogService",
        "ExecuteScript GetHttpResultHistory RequestServerHttpResult RequestServerOutput HttpResultOut \
         ServerHttpResultOut ServerMessageOut",
    ),
    ("TestService", "Run ScopeTime isFeatureEnabled ServerCollectConditionalResult ServerCollectResult"),
    (
        "Humanoid",
        "AddAccessory ApplyDescription ApplyDescriptionReset BuildRigFromAttachments ChangeState EquipTool \
         GetAccessories GetAppliedDescription GetBodyPartR15 GetLimb GetMoveVelocity GetPlayingAnimationTracks \
         GetState GetStateEnabled LoadAnimation Move MoveTo PlayEmote RemoveAccessories ReplaceBodyPartR15 \
         SetStateEnabled UnequipTools ApplyDescriptionFinished Climbing FallingDown FreeFalling GettingUp Jumping \
         MoveToFinished PlatformStanding Ragdoll Running Seated StateChanged StateEnabledChanged Strafing Swimming \
         Touched",
    ),
    ("HttpService", "GetSecret CreateWebStreamClient SetHttpEnabled GetHttpEnabled"),
    ("TweenService", "SmoothDamp"),
    (
        "UserInputService",
        "GetDeviceRotation GetFocusedTextBox GetGamepadConnected GetGamepadState GetConnectedGamepads \
         GetImageForKeyCode GetMouseButtonsPressed GetMouseDelta GetNavigationGamepads GetStringForKeyCode \
         GetSupportedGamepadKeyCodes GetUserCFrame IsGamepadButtonDown IsNavigationGamepad SetNavigationGamepad \
         TouchTap",
    ),
    (
        "ContextActionService",
        "BindAction BindActionAtPriority BindActivate GetAllBoundActionInfo GetBoundActionInfo GetButton \
         GetCurrentLocalToolIcon SetDescription SetImage SetPosition SetTitle UnbindAction UnbindActivate \
         UnbindAllActions LocalToolEquipped LocalToolUnequipped",
    ),
    ("DataStoreService", "GetDataStore GetGlobalDataStore GetOrderedDataStore ListDataStoresAsync"),
    ("MemoryStoreService", "GetHashMap GetQueue GetSortedMap"),
    ("MessagingService", "PublishAsync SubscribeAsync"),
    (
        "MarketplaceService",
        "GetProductInfo GetProductInfoAsync PlayerOwnsAsset PromptGamePassPurchase PromptProductPurchase \
         PromptPurchase UserOwnsGamePassAsync ProcessReceipt PromptGamePassPurchaseFinished PromptPurchaseFinished",
    ),
    (
        "TeleportService",
        "GetLocalPlayerTeleportData GetPlayerPlaceInstanceAsync ReserveServer Teleport TeleportAsync \
         TeleportInitFailed LocalPlayerArrivedFromTeleport",
    ),
    ("BadgeService", "AwardBadge AwardBadgeAsync GetBadgeInfoAsync UserHasBadgeAsync"),
    ("PolicyService", "GetPolicyInfoForPlayerAsync CanViewBrandProjectAsync"),
    ("TextChatService", "CanUserChatAsync DisplayBubble OnIncomingMessage MessageReceived SendingMessage"),
    ("PathfindingService", "CreatePath FindPathAsync"),
    ("PhysicsService", "CollisionGroupSetCollidable RegisterCollisionGroup UnregisterCollisionGroup"),
    ("TextService", "FilterStringAsync GetTextBoundsAsync GetTextSize"),
    (
        "LocalizationService",
        "GetCountryRegionForPlayerAsync GetTranslatorForPlayer GetTranslatorForPlayerAsync",
    ),
    ("Sound", "Pause Play Resume Stop DidLoop Ended Loaded Paused Played Resumed Stopped"),
    ("GuiButton", "Activated MouseButton1Click MouseButton1Down MouseButton1Up MouseButton2Click"),
    ("GuiObject", "InputBegan InputChanged InputEnded MouseEnter MouseLeave TweenPosition TweenSize"),
    ("Animator", "GetPlayingAnimationTracks LoadAnimation AnimationPlayed"),
    ("Tool", "Activate Deactivate Activated Deactivated Equipped Unequipped"),
    ("ProximityPrompt", "InputHoldBegin InputHoldEnd Triggered TriggerEnded PromptShown PromptHidden"),
    ("ClickDetector", "MouseClick MouseHoverEnter MouseHoverLeave RightMouseClick"),
    (
        "Camera",
        "GetPartsObscuringTarget ScreenPointToRay ViewportPointToRay WorldToScreenPoint WorldToViewportPoint",
    ),
];

/// Classes with every member in the table of members or in the list above; what extends them is not included.
const COMPLETE: &[&str] = &[
    "DataModel",
    "Folder",
    "Configuration",
    "Model",
    "Part",
    "Workspace",
    "ReplicatedStorage",
    "ReplicatedFirst",
    "ServerStorage",
    "ServerScriptService",
    "StarterPlayer",
    "StarterPlayerScripts",
    "StarterCharacterScripts",
    "StarterGui",
    "StarterPack",
    "RemoteEvent",
    "UnreliableRemoteEvent",
    "RemoteFunction",
    "BindableEvent",
    "BindableFunction",
    "Script",
    "LocalScript",
    "ModuleScript",
    "CollectionService",
    "Debris",
    "Players",
    "Player",
    "PlayerScripts",
    "PlayerGui",
    "Backpack",
    "StarterGear",
    "RunService",
    "HttpService",
    "LogService",
    "TestService",
    "StringValue",
    "IntValue",
    "NumberValue",
    "BoolValue",
    "ObjectValue",
    "Vector3Value",
    "CFrameValue",
    "Color3Value",
    "BrickColorValue",
    "RayValue",
];

/// Class and names of everything listed.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    UNLISTED.iter().flat_map(|(class, names)| names.split_whitespace().map(move |name| (*class, name)))
}

/// Whether an unknown name of the class is surely a mistake.
pub(super) fn is_complete(class: &str) -> bool {
    COMPLETE.contains(&class)
}
