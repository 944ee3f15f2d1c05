import { age, column, conditionColumn, counter, pausedColumn, phaseColumn } from '../../common/columns.ts';

const classColumn = (path: string) => column('ClusterClass', 'string', path, 'ClusterClass it is made from.');
const version = column('Version', 'string', '.spec.topology.version', 'Kubernetes version of its topology.');
const counters = (prefix: string, path: string, what: string) => [
  counter(`${prefix} Desired`, `${path}.desiredReplicas`, `${what} machines wanted.`),
  counter(`${prefix} Current`, `${path}.replicas`, `${what} machines there are.`, 10),
  counter(`${prefix} Ready`, `${path}.readyReplicas`, `${what} machines that are ready.`, 10),
  counter(`${prefix} Available`, `${path}.availableReplicas`, `${what} machines that are available.`),
  counter(`${prefix} Up-to-date`, `${path}.upToDateReplicas`, `${what} machines that are as specified.`),
];

export const columns = [
  classColumn('.spec.topology.classRef.name'),
  conditionColumn('Available', 'Available', 'Whether the cluster can be used.'),
  ...counters('CP', '.status.controlPlane', 'Control-plane'),
  ...counters('W', '.status.workers', 'Worker'),
  pausedColumn,
  phaseColumn,
  age,
  version,
  column(
    'CP Version',
    'string',
    '.status.controlPlane.versions[*].version',
    'Kubernetes versions of its control-plane machines.',
    10,
  ),
  column(
    'Operation',
    'string',
    '.metadata.annotations.capstan\\.dev/operation',
    'The operation that runs, or ran last.',
    10,
  ),
  column(
    'Last Snapshot',
    'date',
    '.metadata.annotations.capstan\\.dev/last-snapshot',
    'When the last etcd snapshot was completed.',
    10,
  ),
];

export const columnsV1beta1 = [classColumn('.spec.topology.class'), phaseColumn, age, version];
