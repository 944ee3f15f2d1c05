/** A separate module, so that functions load these clients only to switch something. */
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { settings } from '../lambda/clients.ts';

export const lambda = (): LambdaClient => new LambdaClient(settings);
export const scheduler = (): SchedulerClient => new SchedulerClient(settings);
export const eventBridge = (): EventBridgeClient => new EventBridgeClient(settings);
