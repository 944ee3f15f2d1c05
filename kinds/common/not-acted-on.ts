/** A field that is accepted and stored because manifests have it, and changes nothing yet. */
export interface NotActedOn {
  kind: string;
  /** Path of the field, such as spec.template.spec.ref; `[]` goes through a list. */
  path: string;
  /** What is not done. */
  feature: string;
  /** Absent = setting the field is enough. */
  when?: (value: unknown) => boolean;
}
