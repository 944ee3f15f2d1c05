import { parseDuration } from '../../../machinery/api/durations.ts';
import { metadataDefaults, withIgnitionDefaults } from '../aws-machine/defaults.ts';
import type { AWSMachinePool } from './schema.ts';

const fiveMinutes = '5m0s';
/** None and zero mean the same. */
const positive = (duration: string | undefined): string =>
  duration && parseDuration(duration) !== 0 ? duration : fiveMinutes;

export const withDefaults = (pool: AWSMachinePool): AWSMachinePool => {
  const { spec } = pool;
  if (!spec) return pool;
  const { awsLaunchTemplate, ignition } = spec;
  return {
    ...pool,
    spec: {
      ...spec,
      ...(ignition && { ignition: withIgnitionDefaults(ignition) }),
      defaultCoolDown: positive(spec.defaultCoolDown),
      defaultInstanceWarmup: positive(spec.defaultInstanceWarmup),
      awsLaunchTemplate: {
        ...awsLaunchTemplate,
        instanceMetadataOptions: { ...metadataDefaults, ...awsLaunchTemplate?.instanceMetadataOptions },
      },
    },
  };
};
