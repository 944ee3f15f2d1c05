/** The behaviour of create-cluster. Written by hand, not computed from the definition; story.ts explains the notation. */
import type { Stories } from './story.ts';

export const createCluster: Stories = [
  // Success.
  [
    'every step succeeds',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  // A refused step under the policy TearDown.
  [
    'Preflight refused, undone',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Network refused, undone',
    'Preflight Network!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'LoadBalancer refused, undone',
    'Preflight Network LoadBalancer!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'FirstControlPlaneMachine refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'ControlPlane refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Workers refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'AddOns refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Available refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  // A refused step under the policy Hold.
  ['Preflight refused, held', 'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held'],
  [
    'Network refused, held',
    'Preflight Network!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'LoadBalancer refused, held',
    'Preflight Network LoadBalancer!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'ControlPlane refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Workers refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'AddOns refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Available refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  // A refused step under the policy Retry.
  [
    'Preflight refused, tried again',
    'Preflight!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Network refused, tried again',
    'Preflight Network!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'LoadBalancer refused, tried again',
    'Preflight Network LoadBalancer!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'ControlPlane refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Workers refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'AddOns refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Available refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  // A late step under the policy TearDown.
  [
    'Preflight too late, undone',
    'Preflight!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Network too late, undone',
    'Preflight Network!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'LoadBalancer too late, undone',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'FirstControlPlaneMachine too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'ControlPlane too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Workers too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'AddOns too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'Available too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  // A late step under the policy Hold.
  [
    'Preflight too late, held',
    'Preflight!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'Network too late, held',
    'Preflight Network!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'LoadBalancer too late, held',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'ControlPlane too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'Workers too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'AddOns too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'Available too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  // A late step under the policy Retry.
  [
    'Preflight too late, tried again',
    'Preflight!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Network too late, tried again',
    'Preflight Network!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'LoadBalancer too late, tried again',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'ControlPlane too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Workers too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'AddOns too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Available too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=Retry ByPolicy Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  // Cancellation.
  ['Preflight cancelled', 'Preflight!Cancelled Cancelled Abandoned → SUCCEEDED'],
  ['Network cancelled', 'Preflight Network!Cancelled Cancelled Abandoned → SUCCEEDED'],
  ['LoadBalancer cancelled', 'Preflight Network LoadBalancer!Cancelled Cancelled Abandoned → SUCCEEDED'],
  [
    'FirstControlPlaneMachine cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'ControlPlane cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'Workers cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'AddOns cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'Available cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  // An unknown error is retried, then reported; nothing is undone for it.
  ['Preflight fails with an unknown error', 'Preflight*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held'],
  [
    'Network fails with an unknown error',
    'Preflight Network*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'LoadBalancer fails with an unknown error',
    'Preflight Network LoadBalancer*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'ControlPlane fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'Workers fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'AddOns fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'Available fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  // A lost token is requested again, without a limit.
  [
    'Preflight loses its token',
    'Preflight? 5 times +3601 Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Network loses its token',
    'Preflight Network? 5 times +3601 Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'LoadBalancer loses its token',
    'Preflight Network LoadBalancer? 5 times +3601 LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine? 5 times +3601 FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'ControlPlane loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane? 5 times +3601 ControlPlane Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Workers loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers? 5 times +3601 Workers AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'AddOns loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns? 5 times +3601 AddOns Available Succeeded Done → SUCCEEDED',
  ],
  [
    'Available loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available? 5 times +3601 Available Succeeded Done → SUCCEEDED',
  ],
  // The Decide state.
  [
    'an unknown policy undoes nothing',
    'Preflight!StepRefused Decide=Rollback ByPolicy Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'a missing policy undoes nothing',
    'Preflight!StepRefused Decide 9 times Held(States.QueryEvaluationError) OnHold → FAILED Held',
  ],
  [
    'deciding fails with an unknown error',
    'Preflight!StepRefused Decide*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'deciding loses its token',
    'Preflight!StepRefused Decide? 5 times +3601 Decide=Hold ByPolicy Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'deciding answered with StepRefused',
    'Preflight!DeadlineExceeded Decide!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'deciding answered with DeadlineExceeded',
    'Preflight!DeadlineExceeded Decide!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'deciding answered with Cancelled',
    'Preflight!DeadlineExceeded Decide!Cancelled Held(Cancelled) OnHold → FAILED Held',
  ],
  [
    'retried, then undone',
    'Preflight Network!StepRefused Decide=Retry ByPolicy Preflight Network LoadBalancer!DeadlineExceeded Decide=TearDown ByPolicy TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'retried, and refused repeatedly',
    'Preflight!StepRefused Decide=Retry ByPolicy Preflight!StepRefused Decide=Retry ByPolicy Preflight!DeadlineExceeded Decide=Hold ByPolicy Hold Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'retried, with all retries available again',
    'Preflight*AccessDenied +2 Preflight*AccessDenied +4 Preflight!StepRefused Decide=Retry ByPolicy Preflight*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  // Teardown.
  [
    'a stuck teardown is reported, and continues',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'a late teardown is reported, and continues',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!DeadlineExceeded TearDownHeld TearDown!StepRefused TearDownHeld TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'a teardown cancelled',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'a teardown fails with an unknown error',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'a teardown loses its token',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown? 5 times +3601 TearDown TornDown Undone → FAILED TornDown',
  ],
  // Recording tasks are retried, too, and held when they fail.
  [
    'TearDownHeld fails with an unknown error',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'TearDownHeld loses its token',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld? 5 times +3601 TearDownHeld TearDown TornDown Undone → FAILED TornDown',
  ],
  [
    'TearDownHeld answered with StepRefused',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'TearDownHeld answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'TearDownHeld answered with Cancelled',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown!StepRefused TearDownHeld!Cancelled Held(Cancelled) OnHold → FAILED Held',
  ],
  [
    'TornDown fails with an unknown error',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'TornDown loses its token',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown? 5 times +3601 TornDown Undone → FAILED TornDown',
  ],
  [
    'TornDown answered with StepRefused',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'TornDown answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'TornDown answered with Cancelled',
    'Preflight!StepRefused Decide=TearDown ByPolicy TearDown TornDown!Cancelled Held(Cancelled) OnHold → FAILED Held',
  ],
  [
    'Hold fails with an unknown error',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'Hold loses its token',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold? 5 times +3601 Hold Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Hold answered with StepRefused',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Hold answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'Hold answered with Cancelled',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold!Cancelled Held(Cancelled) OnHold → FAILED Held',
  ],
  [
    'Succeeded fails with an unknown error',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  [
    'Succeeded loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded? 5 times +3601 Succeeded Done → SUCCEEDED',
  ],
  [
    'Succeeded answered with StepRefused',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Succeeded answered with DeadlineExceeded',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  [
    'Succeeded answered with Cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!Cancelled Held(Cancelled) OnHold → FAILED Held',
  ],
  [
    'Cancelled fails with an unknown error',
    'Preflight!Cancelled Cancelled*AccessDenied 9 times Held(AccessDenied) OnHold → FAILED Held',
  ],
  ['Cancelled loses its token', 'Preflight!Cancelled Cancelled? 5 times +3601 Cancelled Abandoned → SUCCEEDED'],
  [
    'Cancelled answered with StepRefused',
    'Preflight!Cancelled Cancelled!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Cancelled answered with DeadlineExceeded',
    'Preflight!Cancelled Cancelled!DeadlineExceeded Held(DeadlineExceeded) OnHold → FAILED Held',
  ],
  ['Cancelled answered with Cancelled', 'Preflight!Cancelled Cancelled!Cancelled Held(Cancelled) OnHold → FAILED Held'],
  // Where even that fails, the execution fails, and the sweep finds it.
  [
    'Held fails with an unknown error',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied',
  ],
  [
    'Held loses its token',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused)? 5 times +3601 Held(StepRefused) OnHold → FAILED Held',
  ],
  [
    'Held answered with StepRefused',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused)!StepRefused → FAILED StepRefused',
  ],
  [
    'Held answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused)!DeadlineExceeded → FAILED DeadlineExceeded',
  ],
  [
    'Held answered with Cancelled',
    'Preflight!StepRefused Decide=Hold ByPolicy Hold Held(StepRefused)!Cancelled → FAILED Cancelled',
  ],
];
