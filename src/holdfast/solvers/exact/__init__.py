"""The exact method: compiled dual simplex and branch and bound on pieces."""
