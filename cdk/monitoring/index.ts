/** Alarms and a dashboard for the control plane, in a separate stack that is optional. */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { definitionNames } from '../../stepfunctions/index.ts';
import { apiStage } from '../api.ts';
import type { ControlPlane } from '../control-plane.ts';
import { namesOf } from '../names.ts';
import type { Settings } from '../settings.ts';
import { createAlarms } from './alarms.ts';
import { createDashboard } from './dashboard.ts';
import { createFrozenMetric } from './frozen.ts';
import { createLastingMetric } from './lasting.ts';
import { metricsOf } from './metrics.ts';
import { createOperationsMetric } from './operations.ts';
import { createTopic } from './topic.ts';
import { createUndispatchedMetric } from './undispatched.ts';

export interface MonitoringProps extends StackProps {
  settings: Settings;
  controlPlane: ControlPlane;
}

export class Monitoring extends Stack {
  constructor(scope: Construct, id: string, { settings, controlPlane, ...props }: MonitoringProps) {
    super(scope, id, { description: 'Alarms and a dashboard of a Capstan control plane', ...props });
    const { installation, alarmEmail: email } = settings;
    const names = namesOf(installation);
    const { objects, work } = controlPlane.tables;
    const metrics = metricsOf({
      names,
      stage: apiStage,
      tables: { objects: objects.tableName, work: work.tableName },
    });
    const { stateMachines } = controlPlane.resources;
    const alarms = createAlarms(this, {
      installation,
      metrics,
      frozen: createFrozenMetric(this, names, installation),
      lasting: createLastingMetric(this, names, installation),
      undispatched: createUndispatchedMetric(this, names, installation),
      failed: createOperationsMetric(
        this,
        names,
        installation,
        definitionNames.filter((name) => stateMachines[name]),
      ),
      topic: createTopic(this, { installation, email, account: this.account }),
    });
    createDashboard(this, { installation, metrics, alarms, stateMachines });
    // It references resources that exist only then.
    this.addStackDependency(controlPlane);
  }
}
