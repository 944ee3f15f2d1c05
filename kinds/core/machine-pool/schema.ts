import { atomicList, int32, object, required, string } from '../../../machinery/api/schema.ts';
import { clusterName, failureDomainName } from '../../common/schema.ts';
import { machineTemplate } from '../machine/schema.ts';

export const machinePoolSpec = object('What machines there should be.', {
  clusterName: required(clusterName()),
  failureDomains: atomicList('Where machines may be.', failureDomainName('One failure domain.'), { maxItems: 100 }),
  providerIDList: atomicList(
    'The machines that exist, as their provider knows them.',
    string('Provider id of one machine.', { minLength: 1, maxLength: 512 }),
    { maxItems: 10000 },
  ),
  replicas: int32('How many machines there should be.'),
  template: required(machineTemplate),
});
