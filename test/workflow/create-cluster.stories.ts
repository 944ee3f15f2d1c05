/** What create-cluster does. Written out, not computed from the definition; play.ts says how to read them. */
import type { Stories } from './play.ts';

export const createCluster: Stories = [
  // It goes well.
  [
    'every step succeeds',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  // A step is refused, and the policy is TearDown.
  ['Preflight refused, undone', 'Preflight!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown'],
  ['Network refused, undone', 'Preflight Network!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown'],
  [
    'LoadBalancer refused, undone',
    'Preflight Network LoadBalancer!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'FirstControlPlaneMachine refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'ControlPlane refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'Workers refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'AddOns refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'Available refused, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  // A step is refused, and the policy is Hold.
  ['Preflight refused, held', 'Preflight!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held'],
  ['Network refused, held', 'Preflight Network!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held'],
  [
    'LoadBalancer refused, held',
    'Preflight Network LoadBalancer!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'ControlPlane refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'Workers refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'AddOns refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'Available refused, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  // A step is refused, and the policy is Retry.
  [
    'Preflight refused, tried again',
    'Preflight!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Network refused, tried again',
    'Preflight Network!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'LoadBalancer refused, tried again',
    'Preflight Network LoadBalancer!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'ControlPlane refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Workers refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'AddOns refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Available refused, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!StepRefused Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  // A step is too late, and the policy is TearDown.
  ['Preflight too late, undone', 'Preflight!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown'],
  [
    'Network too late, undone',
    'Preflight Network!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'LoadBalancer too late, undone',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'FirstControlPlaneMachine too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'ControlPlane too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'Workers too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'AddOns too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'Available too late, undone',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  // A step is too late, and the policy is Hold.
  ['Preflight too late, held', 'Preflight!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held'],
  [
    'Network too late, held',
    'Preflight Network!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'LoadBalancer too late, held',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'ControlPlane too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'Workers too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'AddOns too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'Available too late, held',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  // A step is too late, and the policy is Retry.
  [
    'Preflight too late, tried again',
    'Preflight!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Network too late, tried again',
    'Preflight Network!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'LoadBalancer too late, tried again',
    'Preflight Network LoadBalancer!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'ControlPlane too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Workers too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'AddOns too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Available too late, tried again',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!DeadlineExceeded Decide=Retry Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  // Somebody cancels.
  ['Preflight cancelled', 'Preflight!Cancelled Cancelled → FAILED Cancelled'],
  ['Network cancelled', 'Preflight Network!Cancelled Cancelled → FAILED Cancelled'],
  ['LoadBalancer cancelled', 'Preflight Network LoadBalancer!Cancelled Cancelled → FAILED Cancelled'],
  [
    'FirstControlPlaneMachine cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'ControlPlane cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'Workers cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'AddOns cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'Available cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available!Cancelled Cancelled → FAILED Cancelled',
  ],
  // An error that nobody knows is retried, then told; nothing is undone for it.
  ['Preflight fails as nobody knows', 'Preflight*AccessDenied 9 times Held(AccessDenied) → FAILED Held'],
  ['Network fails as nobody knows', 'Preflight Network*AccessDenied 9 times Held(AccessDenied) → FAILED Held'],
  [
    'LoadBalancer fails as nobody knows',
    'Preflight Network LoadBalancer*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'FirstControlPlaneMachine fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'ControlPlane fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'Workers fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'AddOns fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'Available fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  // A lost token is asked for again, however often.
  [
    'Preflight loses its token',
    'Preflight? 5 times +3601 Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Network loses its token',
    'Preflight Network? 5 times +3601 Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'LoadBalancer loses its token',
    'Preflight Network LoadBalancer? 5 times +3601 LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'FirstControlPlaneMachine loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine? 5 times +3601 FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'ControlPlane loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane? 5 times +3601 ControlPlane Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Workers loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers? 5 times +3601 Workers AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'AddOns loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns? 5 times +3601 AddOns Available Succeeded → SUCCEEDED',
  ],
  [
    'Available loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available? 5 times +3601 Available Succeeded → SUCCEEDED',
  ],
  // Deciding.
  [
    'a policy that nobody knows undoes nothing',
    'Preflight!StepRefused Decide=Rollback Held(StepRefused) → FAILED Held',
  ],
  ['no policy undoes nothing', 'Preflight!StepRefused Decide 9 times Held(States.QueryEvaluationError) → FAILED Held'],
  [
    'deciding fails as nobody knows',
    'Preflight!StepRefused Decide*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'deciding loses its token',
    'Preflight!StepRefused Decide? 5 times +3601 Decide=Hold Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'deciding answered with StepRefused',
    'Preflight!DeadlineExceeded Decide!StepRefused Held(StepRefused) → FAILED Held',
  ],
  [
    'deciding answered with DeadlineExceeded',
    'Preflight!DeadlineExceeded Decide!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  ['deciding answered with Cancelled', 'Preflight!DeadlineExceeded Decide!Cancelled Held(Cancelled) → FAILED Held'],
  [
    'tried again, then undone',
    'Preflight Network!StepRefused Decide=Retry Preflight Network LoadBalancer!DeadlineExceeded Decide=TearDown TearDown TornDown → FAILED TornDown',
  ],
  [
    'tried again, and refused again and again',
    'Preflight!StepRefused Decide=Retry Preflight!StepRefused Decide=Retry Preflight!DeadlineExceeded Decide=Hold Hold Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'tried again, with all its retries again',
    'Preflight*AccessDenied +2 Preflight*AccessDenied +4 Preflight!StepRefused Decide=Retry Preflight*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  // Undoing.
  [
    'a teardown that is stuck is told, and goes on',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld TearDown TornDown → FAILED TornDown',
  ],
  [
    'a teardown that takes too long is told, and goes on',
    'Preflight!StepRefused Decide=TearDown TearDown!DeadlineExceeded TearDownHeld TearDown!StepRefused TearDownHeld TearDown TornDown → FAILED TornDown',
  ],
  ['a teardown cancelled', 'Preflight!StepRefused Decide=TearDown TearDown!Cancelled Cancelled → FAILED Cancelled'],
  [
    'a teardown fails as nobody knows',
    'Preflight!StepRefused Decide=TearDown TearDown*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'a teardown loses its token',
    'Preflight!StepRefused Decide=TearDown TearDown? 5 times +3601 TearDown TornDown → FAILED TornDown',
  ],
  // What only records is retried, too, and held when it cannot be recorded.
  [
    'TearDownHeld fails as nobody knows',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'TearDownHeld loses its token',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld? 5 times +3601 TearDownHeld TearDown TornDown → FAILED TornDown',
  ],
  [
    'TearDownHeld answered with StepRefused',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld!StepRefused Held(StepRefused) → FAILED Held',
  ],
  [
    'TearDownHeld answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'TearDownHeld answered with Cancelled',
    'Preflight!StepRefused Decide=TearDown TearDown!StepRefused TearDownHeld!Cancelled Held(Cancelled) → FAILED Held',
  ],
  [
    'TornDown fails as nobody knows',
    'Preflight!StepRefused Decide=TearDown TearDown TornDown*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'TornDown loses its token',
    'Preflight!StepRefused Decide=TearDown TearDown TornDown? 5 times +3601 TornDown → FAILED TornDown',
  ],
  [
    'TornDown answered with StepRefused',
    'Preflight!StepRefused Decide=TearDown TearDown TornDown!StepRefused Held(StepRefused) → FAILED Held',
  ],
  [
    'TornDown answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=TearDown TearDown TornDown!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'TornDown answered with Cancelled',
    'Preflight!StepRefused Decide=TearDown TearDown TornDown!Cancelled Held(Cancelled) → FAILED Held',
  ],
  [
    'Hold fails as nobody knows',
    'Preflight!StepRefused Decide=Hold Hold*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'Hold loses its token',
    'Preflight!StepRefused Decide=Hold Hold? 5 times +3601 Hold Held(StepRefused) → FAILED Held',
  ],
  [
    'Hold answered with StepRefused',
    'Preflight!StepRefused Decide=Hold Hold!StepRefused Held(StepRefused) → FAILED Held',
  ],
  [
    'Hold answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=Hold Hold!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  ['Hold answered with Cancelled', 'Preflight!StepRefused Decide=Hold Hold!Cancelled Held(Cancelled) → FAILED Held'],
  [
    'Succeeded fails as nobody knows',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  [
    'Succeeded loses its token',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded? 5 times +3601 Succeeded → SUCCEEDED',
  ],
  [
    'Succeeded answered with StepRefused',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!StepRefused Held(StepRefused) → FAILED Held',
  ],
  [
    'Succeeded answered with DeadlineExceeded',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  [
    'Succeeded answered with Cancelled',
    'Preflight Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded!Cancelled Held(Cancelled) → FAILED Held',
  ],
  [
    'Cancelled fails as nobody knows',
    'Preflight!Cancelled Cancelled*AccessDenied 9 times Held(AccessDenied) → FAILED Held',
  ],
  ['Cancelled loses its token', 'Preflight!Cancelled Cancelled? 5 times +3601 Cancelled → FAILED Cancelled'],
  ['Cancelled answered with StepRefused', 'Preflight!Cancelled Cancelled!StepRefused Held(StepRefused) → FAILED Held'],
  [
    'Cancelled answered with DeadlineExceeded',
    'Preflight!Cancelled Cancelled!DeadlineExceeded Held(DeadlineExceeded) → FAILED Held',
  ],
  ['Cancelled answered with Cancelled', 'Preflight!Cancelled Cancelled!Cancelled Held(Cancelled) → FAILED Held'],
  // Where even that fails, the execution fails, and the sweep finds it.
  [
    'Held fails as nobody knows',
    'Preflight!StepRefused Decide=Hold Hold Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied, uncaught',
  ],
  [
    'Held loses its token',
    'Preflight!StepRefused Decide=Hold Hold Held(StepRefused)? 5 times +3601 Held(StepRefused) → FAILED Held',
  ],
  [
    'Held answered with StepRefused',
    'Preflight!StepRefused Decide=Hold Hold Held(StepRefused)!StepRefused → FAILED StepRefused, uncaught',
  ],
  [
    'Held answered with DeadlineExceeded',
    'Preflight!StepRefused Decide=Hold Hold Held(StepRefused)!DeadlineExceeded → FAILED DeadlineExceeded, uncaught',
  ],
  [
    'Held answered with Cancelled',
    'Preflight!StepRefused Decide=Hold Hold Held(StepRefused)!Cancelled → FAILED Cancelled, uncaught',
  ],
];
