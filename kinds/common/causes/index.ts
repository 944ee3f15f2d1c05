export { type Cause, causesOf, causesOfCluster, messageOf, type Named } from './causes.ts';
export { capstan, kubectl, mergePatch, withoutAnnotation } from './commands.ts';
export { conditionsOf, isDeleting, oneLine } from './complaints.ts';
export {
  type Complaint,
  clusterReferenceOf,
  type Graph,
  type GraphInput,
  graphOf,
  groupOf,
  type Reference,
  referencesIn,
} from './graph.ts';
export { membersOf } from './members.ts';
export * from './relations.ts';
export type { CauseRules, ConditionRule, Explanation, Level, ReasonRule } from './rule.ts';
export { changeSpec, copyTemplate, templateOf } from './templates.ts';
