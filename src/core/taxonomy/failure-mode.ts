/**
 * A failure mode: a group of like failures. The machine proposes one; it becomes the team's only when a person accepts it.
 *
 * proposed → accepted, dismissed or merged; accepted → dismissed or merged; dismissed → accepted. Renaming is allowed in
 * proposed and accepted. A merged mode redirects to the one it was merged into, for ever. Each act is an event with
 * who, when and why.
 */
export type ModeState = 'proposed' | 'accepted' | 'dismissed' | 'merged'

export type FailureMode = {
  readonly id: string
  readonly state: ModeState
  readonly name: string
  readonly definition: string | null
  readonly category: string | null
  readonly mergedInto: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type ReviewAct =
  | { readonly act: 'accept'; readonly name?: string; readonly definition?: string; readonly category?: string }
  | { readonly act: 'rename'; readonly name: string }
  | { readonly act: 'merge'; readonly into: string }
  | { readonly act: 'dismiss' }

export type ReviewEvent = {
  readonly id: number
  readonly modeId: string
  readonly act: 'propose' | ReviewAct['act']
  readonly who: string
  readonly why: string | null
  readonly before: FailureMode | null
  readonly after: FailureMode
  readonly at: string
}
