import { age, clusterColumn, column, counter, pausedColumn, phaseColumn } from '../../common/columns.ts';

const version = column('Version', 'string', '.spec.template.spec.version', 'Kubernetes version of its machines.');
const desired = (priority?: number) => counter('Desired', '.spec.replicas', 'Machines wanted.', priority);

export const columns = [
  clusterColumn,
  desired(),
  counter('Current', '.status.replicas', 'Machines there are.'),
  counter('Ready', '.status.readyReplicas', 'Machines that are ready.'),
  counter('Available', '.status.availableReplicas', 'Machines that are available.'),
  counter('Up-to-date', '.status.upToDateReplicas', 'Machines that are as the template says.'),
  pausedColumn,
  phaseColumn,
  age,
  version,
];

export const columnsV1beta1 = [
  clusterColumn,
  desired(10),
  column('Replicas', 'string', '.status.replicas', 'Machines there are.'),
  phaseColumn,
  age,
  version,
];
