/** What controllers act on the account through. */
import { guarded } from '../adapters/cloud/guarded.ts';
import { createSessions } from '../adapters/cloud/sessions.ts';
import { installationPort, marked, type Position } from '../adapters/installation/index.ts';
import { workflowsPort } from '../adapters/ports.ts';
import type { Cloud } from '../kinds/ports/cloud/index.ts';
import type { Workflows } from '../machinery/ports.ts';
import type { Foundation } from './foundation.ts';
import { controllerWaker } from './wake.ts';

export const accountPorts = (
  foundation: Foundation,
  { cloud, workflows }: { cloud: Cloud; workflows: Workflows },
  position: Position,
) => ({
  cloud: marked(guarded(cloud, createSessions(cloud, foundation.clock)), position),
  installation: installationPort({ position, cloud, wake: controllerWaker(foundation), log: foundation.log }),
  workflows: workflowsPort(workflows),
});
