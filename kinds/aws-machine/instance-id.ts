import type { KubeObject } from '../../machinery/api/object.ts';
import { launchOf } from './launch.ts';
import type { AWSMachine } from './schema.ts';

export const instanceIdOf = ({ spec }: Pick<AWSMachine, 'spec'>): string | undefined =>
  spec?.providerID?.split('/').at(-1) || spec?.instanceID || undefined;

/** The instance that an AWSMachine came with: it was not launched here for this object, or by nobody here at all. */
export const broughtInstance = (object: KubeObject): string | undefined =>
  launchOf(object.metadata) ? undefined : instanceIdOf(object as AWSMachine);
