// Starts the client.

import * as Lights from "./Lights";

Lights.start();
