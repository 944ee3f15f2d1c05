import {
  age,
  clusterColumn,
  column,
  conditionColumn,
  counter,
  pausedColumn,
  phaseColumn,
} from '../../common/columns.ts';

const version = column('Version', 'string', '.spec.template.spec.version', 'Kubernetes version of its machines.');
const desired = (priority?: number) => counter('Desired', '.spec.replicas', 'Machines wanted.', priority);
const ready = counter('Ready', '.status.readyReplicas', 'Machines that are ready.');

export const columns = [
  clusterColumn,
  conditionColumn('Available', 'Available', 'Whether enough machines are available.'),
  desired(),
  counter('Current', '.status.replicas', 'Machines there are.'),
  ready,
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
  counter('Replicas', '.status.replicas', 'Machines there are.'),
  ready,
  counter('Updated', '.status.updatedReplicas', 'Machines that are as the template says.'),
  counter('Unavailable', '.status.unavailableReplicas', 'Machines still needed until all are available.'),
  phaseColumn,
  age,
  version,
];
