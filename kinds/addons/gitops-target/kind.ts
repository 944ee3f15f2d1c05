import type { KindFacts } from '../../../machinery/api/kind.ts';
import { referencesOfGitOpsTarget } from './references.ts';

export const gitOpsTarget: KindFacts = {
  group: 'capstan.dev',
  kind: 'GitOpsTarget',
  plural: 'gitopstargets',
  namespaced: true,
  references: referencesOfGitOpsTarget,
  summary: 'Ready',
};
