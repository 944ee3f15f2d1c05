import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { ClusterResourceSetObject } from './objects.ts';

/** What is to be applied. */
export const referencesOfSet = ({ spec }: KubeObject) =>
  referencesTo(...((spec as ClusterResourceSetObject['spec'])?.resources ?? []));
