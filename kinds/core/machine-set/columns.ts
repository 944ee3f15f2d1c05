import { age, clusterColumn, column, counter, pausedColumn } from '../../common/columns.ts';

const version = column('Version', 'string', '.spec.template.spec.version', 'Kubernetes version of its machines.');
const desired = (priority?: number) => counter('Desired', '.spec.replicas', 'Machines wanted.', priority);
const ready = counter('Ready', '.status.readyReplicas', 'Machines that are ready.');
const available = counter('Available', '.status.availableReplicas', 'Machines that are available.');

export const columns = [
  clusterColumn,
  desired(),
  counter('Current', '.status.replicas', 'Machines there are.'),
  ready,
  available,
  counter('Up-to-date', '.status.upToDateReplicas', 'Machines that are as the template says.'),
  pausedColumn,
  age,
  version,
];

export const columnsV1beta1 = [
  clusterColumn,
  desired(10),
  counter('Replicas', '.status.replicas', 'Machines there are.'),
  ready,
  available,
  age,
  version,
];
