import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { ResourceRef } from '../cluster-resource-set/objects.ts';
import type { Addon, AddonSpec } from './schema.ts';

/** The ConfigMaps and Secrets with manifests. */
export const resourcesOf = ({ manifests = [] }: AddonSpec): ResourceRef[] =>
  manifests.flatMap(({ kind, name }) => (kind && name ? [{ kind, name }] : []));

export const referencesOfAddon = ({ spec }: KubeObject) =>
  referencesTo(...(spec ? resourcesOf(spec as NonNullable<Addon['spec']>) : []));
