/** Fields of pools that Capstan accepts but ignores. */
import type { NotActedOn } from '../../common/not-acted-on.ts';

const kind = 'AWSMachinePool';

export const poolNotActedOn: NotActedOn[] = [
  { kind, path: 'spec.awsLaunchTemplate.name', feature: 'Names of launch templates' },
  { kind, path: 'spec.awsLaunchTemplate.versionNumber', feature: 'Versions of launch templates' },
  { kind, path: 'spec.awsLaunchTemplate.ami.eksLookupType', feature: 'Images of EKS' },
  { kind, path: 'spec.ignition', feature: 'Ignition (refused: nothing is created)' },
];
