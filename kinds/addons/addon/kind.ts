import type { KindFacts } from '../../../machinery/api/kind.ts';
import { referencesOfAddon } from './references.ts';

export const addon: KindFacts = {
  group: 'capstan.dev',
  kind: 'Addon',
  plural: 'addons',
  namespaced: true,
  references: referencesOfAddon,
  summary: 'Ready',
};
