import type { Column } from '../../../machinery/api/kind.ts';
import { age, column } from '../../define.ts';

const cluster = column(
  'Cluster',
  'string',
  ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
  'The cluster it belongs to.',
);
const version = column('Version', 'string', '.spec.version', 'The Kubernetes version that is wanted.');

export const columns: Column[] = [
  cluster,
  column('Available', 'string', '.status.conditions[?(@.type=="Available")].status', 'Whether it is available.'),
  column('Desired', 'integer', '.spec.replicas', 'Machines that are wanted.'),
  column('Current', 'integer', '.status.replicas', 'Machines there are.'),
  column('Ready', 'integer', '.status.readyReplicas', 'Machines that are ready.'),
  column('Available', 'integer', '.status.availableReplicas', 'Machines that are available.'),
  column('Up-to-date', 'integer', '.status.upToDateReplicas', 'Machines that match the spec.'),
  column('Paused', 'string', '.status.conditions[?(@.type=="Paused")].status', 'Whether it is paused.', 10),
  column('Initialized', 'boolean', '.status.initialization.controlPlaneInitialized', 'Whether it once took requests.'),
  age,
  version,
];

export const columnsV1beta1: Column[] = [
  cluster,
  column('Initialized', 'boolean', '.status.initialized', 'Whether it once took requests.'),
  column('API Server Available', 'boolean', '.status.ready', 'Whether it takes requests.'),
  column('Desired', 'integer', '.spec.replicas', 'Machines that are wanted.', 10),
  column('Replicas', 'integer', '.status.replicas', 'Machines there are.'),
  column('Ready', 'integer', '.status.readyReplicas', 'Machines whose node is ready.'),
  column('Updated', 'integer', '.status.updatedReplicas', 'Machines that match the spec.'),
  column('Unavailable', 'integer', '.status.unavailableReplicas', 'Machines still missing.'),
  age,
  version,
];
