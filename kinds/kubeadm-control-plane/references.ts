import type { KubeObject } from '../../machinery/api/object.ts';
import { referencesTo } from '../common/named.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

export const referencesOfControlPlane = ({ spec }: KubeObject) =>
  referencesTo((spec as KubeadmControlPlaneSpec | undefined)?.machineTemplate?.spec?.infrastructureRef);
