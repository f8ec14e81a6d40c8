/**
 * A digest: the short message made from a report, in the forms that channels need.
 */
export type Digest = {
  readonly reportId: string
  /** Schedule, end of window and report in letters that are safe in a file name, without extension. */
  readonly fileName: string
  readonly subject: string
  readonly text: string
  readonly markdown: string
  readonly html: string
  /** The frozen report itself, for channels that carry JSON. */
  readonly json: string
}
