/** The behaviour of delete-cluster. Written by hand, not computed from the definition; story.ts explains the notation. */
import type { Stories } from './story.ts';

export const deleteCluster: Stories = [
  // Success.
  [
    'every step succeeds',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded Done → SUCCEEDED',
  ],
  // A refused step is reported, and the end is awaited.
  ['DeleteWorkers refused', 'DeleteWorkers!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED'],
  [
    'DeleteControlPlane refused',
    'DeleteWorkers DeleteControlPlane!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteNetwork refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Prove refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  // A late step is reported, and the end is awaited.
  ['DeleteWorkers too late', 'DeleteWorkers!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED'],
  [
    'DeleteControlPlane too late',
    'DeleteWorkers DeleteControlPlane!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteNetwork too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Prove too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  // Another operation supersedes it.
  ['DeleteWorkers cancelled', 'DeleteWorkers!Cancelled Cancelled Abandoned → SUCCEEDED'],
  ['DeleteControlPlane cancelled', 'DeleteWorkers DeleteControlPlane!Cancelled Cancelled Abandoned → SUCCEEDED'],
  [
    'DeleteLoadBalancers cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'DeleteNetwork cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'Prove cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  // An unknown error is retried, then reported; the end is awaited.
  [
    'DeleteWorkers fails with an unknown error',
    'DeleteWorkers*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteControlPlane fails with an unknown error',
    'DeleteWorkers DeleteControlPlane*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers fails with an unknown error',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteNetwork fails with an unknown error',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Prove fails with an unknown error',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  // A lost token is requested again, without a limit.
  [
    'DeleteWorkers loses its token',
    'DeleteWorkers? 5 times +3601 DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteControlPlane loses its token',
    'DeleteWorkers DeleteControlPlane? 5 times +3601 DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers? 5 times +3601 DeleteLoadBalancers DeleteNetwork Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'DeleteNetwork loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork? 5 times +3601 DeleteNetwork Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Prove loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove? 5 times +3601 Prove Succeeded Done → SUCCEEDED',
  ],
  // A hold ends when its cause is gone.
  [
    'held repeatedly',
    'DeleteWorkers DeleteControlPlane!StepRefused Held(StepRefused) Prove!StepRefused Held(StepRefused) Prove!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'held, then cancelled',
    'DeleteWorkers!DeadlineExceeded Held(DeadlineExceeded) Prove!Cancelled Cancelled Abandoned → SUCCEEDED',
  ],
  [
    'held, with all retries available again',
    'DeleteWorkers!StepRefused Held(StepRefused) Prove*AccessDenied 9 times Held(AccessDenied) Prove*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  // Recording tasks are retried, too, and held when they fail.
  [
    'Succeeded fails with an unknown error',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Succeeded loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded? 5 times +3601 Succeeded Done → SUCCEEDED',
  ],
  [
    'Succeeded answered with StepRefused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Succeeded answered with DeadlineExceeded',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Succeeded answered with Cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!Cancelled Held(Cancelled) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Cancelled fails with an unknown error',
    'DeleteWorkers!Cancelled Cancelled*AccessDenied 9 times Held(AccessDenied) Prove Succeeded Done → SUCCEEDED',
  ],
  ['Cancelled loses its token', 'DeleteWorkers!Cancelled Cancelled? 5 times +3601 Cancelled Abandoned → SUCCEEDED'],
  [
    'Cancelled answered with StepRefused',
    'DeleteWorkers!Cancelled Cancelled!StepRefused Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Cancelled answered with DeadlineExceeded',
    'DeleteWorkers!Cancelled Cancelled!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded Done → SUCCEEDED',
  ],
  [
    'Cancelled answered with Cancelled',
    'DeleteWorkers!Cancelled Cancelled!Cancelled Held(Cancelled) Prove Succeeded Done → SUCCEEDED',
  ],
  // Where even that fails, the execution fails, and the sweep finds it.
  [
    'Held fails with an unknown error',
    'DeleteWorkers!StepRefused Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied',
  ],
  [
    'Held loses its token',
    'DeleteWorkers!StepRefused Held(StepRefused)? 5 times +3601 Held(StepRefused) Prove Succeeded Done → SUCCEEDED',
  ],
  ['Held answered with StepRefused', 'DeleteWorkers!StepRefused Held(StepRefused)!StepRefused → FAILED StepRefused'],
  [
    'Held answered with DeadlineExceeded',
    'DeleteWorkers!StepRefused Held(StepRefused)!DeadlineExceeded → FAILED DeadlineExceeded',
  ],
  ['Held answered with Cancelled', 'DeleteWorkers!StepRefused Held(StepRefused)!Cancelled → FAILED Cancelled'],
];
