import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { ClusterResourceSet } from './schema.ts';

/** The ConfigMaps and Secrets to apply. */
export const referencesOfSet = ({ spec }: KubeObject) =>
  referencesTo(...((spec as ClusterResourceSet['spec'])?.resources ?? []));
