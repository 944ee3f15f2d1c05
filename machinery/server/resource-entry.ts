/** A resource's discovery entry in one of its versions. */
import type { Verb } from '../api/kind.ts';

export interface SubresourceEntry {
  name: string;
  group: string;
  version: string;
  kind: string;
  verbs: Verb[];
}

export interface ResourceEntry {
  plural: string;
  singular: string;
  kind: string;
  group: string;
  namespaced: boolean;
  verbs: Verb[];
  shortNames: string[];
  categories: string[];
  subresources: SubresourceEntry[];
  /** A digest of the version in which objects are stored; absent for what is not stored. */
  storedAs?: string;
}
