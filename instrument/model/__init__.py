"""The sum of data files: snapshots, with rows, trees and estimates."""
