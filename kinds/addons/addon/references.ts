import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { Addon } from './schema.ts';

/** The ConfigMaps and Secrets with the manifests. */
export const referencesOfAddon = ({ spec }: KubeObject) => referencesTo(...((spec as Addon['spec'])?.manifests ?? []));
