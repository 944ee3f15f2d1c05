import { age, clusterColumn, column, conditionColumn, pausedColumn, phaseColumn } from '../../common/columns.ts';

const address = (type: string) => `.status.addresses[?(@.type=="${type}")].address`;
const version = column('Version', 'string', '.spec.version', 'Kubernetes version of the node.');
const nodeName = '.status.nodeRef.name';
const providerID = '.spec.providerID';

export const columns = [
  clusterColumn,
  column('Node Name', 'string', nodeName, 'Its Node.'),
  column('Provider ID', 'string', providerID, 'Identity the cloud gave it.', 10),
  column('Failure domain', 'string', '.status.failureDomain', 'Failure domain it is in.'),
  conditionColumn('Ready', 'Ready', 'Whether it works.'),
  conditionColumn('Available', 'Available', 'Whether it has been ready for long enough.'),
  conditionColumn('Up-to-date', 'UpToDate', 'Whether it is as its owner wants it.'),
  column('Internal-IP', 'string', address('InternalIP'), 'Address inside its network.', 10),
  column('External-IP', 'string', address('ExternalIP'), 'Public address.', 10),
  column('OS-Image', 'string', '.status.nodeInfo.osImage', 'Operating system of the node.', 10),
  pausedColumn,
  phaseColumn,
  age,
  version,
];

export const columnsV1beta1 = [
  clusterColumn,
  column('NodeName', 'string', nodeName, 'Its Node.'),
  column('ProviderID', 'string', providerID, 'Identity the cloud gave it.'),
  phaseColumn,
  age,
  version,
];
